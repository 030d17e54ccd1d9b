/** The built-in reconstruction and the other reading of it, see resources/proto. */
import alternative from '../../../resources/proto/ntrace-alternative.proto?raw'
import reconstruction from '../../../resources/proto/ntrace.proto?raw'
import { parseProto, type SchemaDescription } from './description'

let parsed: readonly [SchemaDescription, SchemaDescription] | null = null

/** Reconstruction and alternative, in the order in which they are tried. Parsed when first asked for. */
export function builtinSchemas(): readonly [SchemaDescription, SchemaDescription] {
  parsed ??= [
    { origin: 'built-in', title: 'built-in reconstruction', ...parseProto(reconstruction) },
    { origin: 'alternative', title: 'built-in reconstruction, alternative numbering', ...parseProto(alternative) },
  ]
  return parsed
}
