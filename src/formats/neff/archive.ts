/**
 * The archive in a NEFF: its members as a list, with bounds. The headers are read by the library `tar` (parser only); contents are passed over, except for the small JSON members that graph.ts reads.
 * Nothing is written anywhere.
 */
import { Parser } from 'tar/parse'
import type { ReadEntry } from 'tar/read-entry'
import { stringTable, type StringTable } from '../../shared/columns'
import type { DiagnosticSink } from '../../shared/diagnostics'
import { MEMBER_TYPES, type MemberType, type NeffMembers } from '../../shared/device-tables'
import { isGzip } from '../source'
import { isWanted, TEXT_LIMIT } from './graph'

/** Longer names are cut in the list. Real ones are below 100. */
const NAME_LENGTH = 1024
/** Headers that are none in a row end the list: it is no tar from there on. */
const INVALID_LIMIT = 64
const BLOCK = 512

const TYPE_OF: Readonly<Record<string, MemberType>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'folder',
  GNUDumpDir: 'folder',
  Link: 'link',
  SymbolicLink: 'symlink',
  CharacterDevice: 'device',
  BlockDevice: 'device',
  FIFO: 'fifo',
}

/** Why a list ends before the archive does. */
export type ListEnd = 'members' | 'damaged' | null

export class ArchiveList {
  readonly #sink: DiagnosticSink
  readonly #limit: number
  readonly #parser: Parser
  /** Bytes before the first header is whole. */
  #head: Uint8Array | null = new Uint8Array(0)
  #end: ListEnd = null
  #invalid = 0
  #broken = false
  #longMeta = 0
  readonly #strings: string[] = []
  readonly #name: number[] = []
  readonly #size: number[] = []
  readonly #type: number[] = []
  readonly #target: number[] = []
  readonly #unsafe: number[] = []
  readonly #texts = new Map<string, string>()

  constructor(sink: DiagnosticSink, maxMembers: number) {
    this.#sink = sink
    this.#limit = maxMembers
    this.#parser = new Parser({
      // A tar inside a gzip is never compressed again.
      zstd: false,
      brotli: false,
      onReadEntry: e => this.#entry(e),
      onwarn: code => this.#warned(code),
    })
    this.#parser.on('ignoredEntry', (e: ReadEntry) => {
      if (e.meta) this.#longMeta++
      else this.#add(e, 'other')
    })
  }

  /** Set once nothing more is taken in. */
  get ended(): ListEnd {
    return this.#end
  }

  /** Takes the next bytes of the archive; they must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (this.#end) return
    if (this.#head) {
      // The parser looks at the first bytes for compression, which must not be found.
      const head = Buffer.concat([this.#head, bytes])
      if (head.length < BLOCK) {
        this.#head = head
        return
      }
      this.#head = null
      if (isGzip(head)) {
        this.#end = 'damaged'
        return
      }
      this.#write(head)
    } else this.#write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  }

  #write(bytes: Buffer): void {
    try {
      this.#parser.write(bytes)
    } catch {
      this.#end ??= 'damaged'
    }
  }

  #warned(code: string): void {
    if (code === 'TAR_ENTRY_INVALID' && ++this.#invalid >= INVALID_LIMIT) this.#end ??= 'damaged'
    if (code === 'TAR_BAD_ARCHIVE' || code === 'TAR_ABORT') this.#broken = true
  }

  #entry(e: ReadEntry): void {
    const name = e.path
    const type = TYPE_OF[e.type] ?? 'other'
    if (this.#add(e, type) && type === 'file' && isWanted(name) && !this.#texts.has(name) && e.size > 0 && e.size <= TEXT_LIMIT) {
      const parts: Buffer[] = []
      e.on('data', (part: Buffer) => parts.push(part))
      e.on('end', () => {
        const all = Buffer.concat(parts)
        if (all.length === e.size) this.#texts.set(name, all.toString('utf8'))
      })
    } else e.resume()
  }

  #add(e: ReadEntry, type: MemberType): boolean {
    if (this.#end) return false
    if (this.#name.length >= this.#limit) {
      this.#end = 'members'
      return false
    }
    const link = type === 'link' || type === 'symlink'
    const target = link ? (e.linkpath ?? '') : ''
    this.#name.push(this.#string(e.path))
    this.#size.push(e.size)
    this.#type.push(MEMBER_TYPES.indexOf(type))
    this.#target.push(link ? this.#string(target) : -1)
    this.#unsafe.push(leaves(e.path) || (link && leaves(target, type === 'symlink' ? e.path : '')) ? 1 : 0)
    return true
  }

  #string(s: string): number {
    return this.#strings.push(s.length > NAME_LENGTH ? `${s.slice(0, NAME_LENGTH)}…` : s) - 1
  }

  /** Ends the list. `inputWhole`: the bytes were given to their end. Tells what is hostile or broken. */
  finish(inputWhole: boolean): {
    readonly members: NeffMembers
    readonly texts: ReadonlyMap<string, string>
    readonly strings: StringTable
  } {
    if (this.#head && this.#head.length > 0) this.#broken = true
    if (inputWhole && !this.#end && !this.#head)
      try {
        this.#parser.end()
      } catch {
        this.#broken = true
      }
    if (this.#end === 'damaged' || this.#invalid > 0 || (inputWhole && this.#broken)) {
      this.#broken = true
      this.#sink.add({
        severity: 'warning',
        code: 'neff-archive-damaged',
        count: Math.max(1, this.#invalid),
        message: 'The archive in the file is not a whole tar.',
        meaning: 'Members beyond the damaged place may be missing from the list.',
        action: 'Copy the file again from where it was written.',
      })
    }
    if (this.#longMeta > 0)
      this.#sink.add({
        severity: 'warning',
        code: 'neff-member-header-large',
        count: this.#longMeta,
        message: 'Extended headers of members are larger than 1 MiB.',
        meaning: 'They are passed over; names and sizes of their members are those of the plain headers.',
        action: 'Do not extract the file; check where it comes from.',
      })
    this.#tellHostile()
    return {
      members: {
        count: this.#name.length,
        name: Int32Array.from(this.#name),
        size: Float64Array.from(this.#size),
        type: Uint8Array.from(this.#type),
        target: Int32Array.from(this.#target),
        unsafe: Uint8Array.from(this.#unsafe),
        complete: inputWhole && this.#end === null && !this.#broken,
      },
      texts: this.#texts,
      strings: stringTable(this.#strings),
    }
  }

  #tellHostile(): void {
    const firstOf = (test: (i: number) => boolean): readonly [number, string] => {
      let count = 0
      let first = ''
      for (let i = 0; i < this.#name.length; i++)
        if (test(i) && count++ === 0) first = (this.#strings[this.#name[i] as number] as string).slice(0, 200)
      return [count, first]
    }
    const [unsafe, name] = firstOf(i => this.#unsafe[i] === 1)
    if (unsafe > 0)
      this.#sink.add({
        severity: 'warning',
        code: 'neff-unsafe-member',
        count: unsafe,
        message: `Members of the archive would leave the folder that it is extracted into, first ${JSON.stringify(name)}.`,
        meaning: 'They are listed only; nothing is extracted here.',
        action: 'Do not extract the file with a tool that follows such names; check where it comes from.',
      })
    const special = ['link', 'symlink', 'device', 'fifo', 'other'].map(t => MEMBER_TYPES.indexOf(t as MemberType))
    const [count, odd] = firstOf(i => special.includes(this.#type[i] as number))
    if (count > 0)
      this.#sink.add({
        severity: 'warning',
        code: 'neff-special-member',
        count,
        message: `The archive holds links, devices or other members that are neither file nor folder, first ${JSON.stringify(odd)}.`,
        meaning: 'They are listed only and never followed.',
        action: 'A compiler writes none of them: check where the file comes from.',
      })
  }
}

/** Whether a name leads out of the folder that it is relative to. `from`: the member whose folder a link's target is relative to. Both kinds of slashes count. */
export function leaves(name: string, from = ''): boolean {
  if (/^([/\\]|[a-z]:)/i.test(name)) return true
  let depth = 0
  for (const part of [...from.split(/[/\\]/).slice(0, -1), ...name.split(/[/\\]/)]) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}
