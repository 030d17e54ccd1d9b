/** Writes framework mappings for tests, with full control over text. */

export interface MappingOperator {
  readonly seq_nr?: bigint | number
  readonly th_id?: bigint | number
  readonly stream_id?: bigint | number
}

export interface MappingEntry {
  readonly nrta_seq_id: bigint | number
  readonly framework_op_exec_ids: readonly MappingOperator[]
}

export interface MappingOptions {
  /** Raw text of `version`; null leaves it out. */
  readonly version?: string | null
  /** Put between all tokens. */
  readonly space?: string
  /** Raw members behind `data`. */
  readonly after?: string
}

export function entryText(e: MappingEntry, space = ''): string {
  const operators = e.framework_op_exec_ids.map(
    o =>
      `{${Object.entries(o)
        .map(([k, v]) => `${space}"${k}"${space}:${space}${String(v)}`)
        .join(`${space},`)}${space}}`,
  )
  return `{${space}"nrta_seq_id"${space}:${space}${String(e.nrta_seq_id)},${space}"framework_op_exec_ids"${space}:${space}[${operators.join(`,${space}`)}]${space}}`
}

/** Text of a mapping with these entries; raw strings are taken as they are. */
export function mappingText(entries: readonly (MappingEntry | string)[], o: MappingOptions = {}): string {
  const s = o.space ?? ''
  const version = o.version === null ? '' : `"version"${s}:${s}${o.version ?? '1'},${s}`
  const list = entries.map(e => (typeof e === 'string' ? e : entryText(e, s))).join(`,${s}`)
  return `{${version}"data"${s}:${s}[${s}${list}${s}]${o.after === undefined ? '' : `,${o.after}`}${s}}`
}

export const mappingBytes = (entries: readonly (MappingEntry | string)[], o?: MappingOptions): Uint8Array =>
  new TextEncoder().encode(mappingText(entries, o))
