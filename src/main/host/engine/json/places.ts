/**
 * Processes and threads of an export. Events of a framework's trace keep pid and tid of their file; those of a second trace that names the same process, and what the runtime,
 * the hardware and the samples tell, get processes of their own, so that nothing is laid over each other.
 */
import { stringAt } from '../../../../shared/columns'
import type { Part, PartTrack } from '../context'
import { idText } from './text'

/** Above the largest pid of Linux: no real process has these. */
const FIRST_OWN = 4_194_305
/** Longest name that is written, in characters. */
const MAX_NAME = 2000

interface Process {
  /** JSON of the pid, '' for events that name no process. */
  readonly pid: string
  readonly order: number
  threads: number
  /** JSON of the tids that are given away. */
  readonly tids: Set<string>
  readonly moved: boolean
}

export interface Thread {
  /** Members of an event: `,"pid":1,"tid":2`. */
  readonly members: string
}

const ORIGINS: Readonly<Record<string, string>> = {
  neuron_rt: 'neuron_rt',
  neuron_hw: 'neuron_hw',
  runtime: 'runtime',
  framework: 'framework',
  host: 'host samples',
  hbm: 'HBM',
  transfer: 'transfers',
  pytorch: 'PyTorch allocator',
}

export class Places {
  readonly #processes = new Map<string, Process>()
  readonly #taken = new Set<string>()
  readonly #threads = new Map<string, Thread>()
  readonly #metadata: string[] = []
  #own = FIRST_OWN

  /** Takes the metadata events that have come up since the last call, as JSON texts. */
  takeMetadata(): readonly string[] {
    return this.#metadata.splice(0)
  }

  /** Thread of a track. `stack`: which of several that it needs, as slices of one thread must nest. */
  thread(part: Part, track: PartTrack, stack = 0): Thread {
    const key = `${track.id}/${stack}`
    let thread = this.#threads.get(key)
    if (!thread) {
      const m = track.model
      const process = this.#process(part, track, m.pid)
      // A counter belongs to its process.
      const own = m.kind === 'slices' && part.source.kind !== 'chrome-trace'
      const name = part.source.kind === 'chrome-trace' ? m.note : [m.note, m.name].filter(Boolean).join(' ')
      const tid = own ? this.#freeTid(process) : m.tid === '' ? '' : idText(m.tid)
      thread = this.#make(
        process,
        m.kind === 'counter' ? '' : tid,
        m.kind === 'counter' ? '' : stack === 0 ? name : `${name} (${stack + 1})`,
      )
      this.#threads.set(key, thread)
    }
    return thread
  }

  /** Thread of a row of a framework's trace: async events and flows stand on no track of a thread. */
  threadOfRow(part: Part, track: PartTrack | null, row: number): Thread | null {
    if (part.source.kind !== 'chrome-trace') return null
    const { table } = part.source
    const at = table.thread[row] as number
    const key = `row ${part.index}/${at}`
    let thread = this.#threads.get(key)
    if (!thread) {
      const pid = at < 0 ? '' : stringAt(table.strings, table.threads.pid[at] as number)
      const tid = at < 0 ? '' : stringAt(table.strings, table.threads.tid[at] as number)
      const name = at < 0 ? '' : stringAt(table.strings, table.threads.threadName[at] as number)
      thread = this.#make(this.#process(part, track, pid), tid === '' ? '' : idText(tid), name)
      this.#threads.set(key, thread)
    }
    return thread
  }

  #make(process: Process, tid: string, name: string): Thread {
    const members = `${process.pid === '' ? '' : `,"pid":${process.pid}`}${tid === '' ? '' : `,"tid":${tid}`}`
    if (tid !== '' && process.pid !== '' && !process.tids.has(tid)) {
      process.tids.add(tid)
      if (name !== '') this.#meta('thread_name', members, `{"name":${cut(name)}}`)
      this.#meta('thread_sort_index', members, `{"sort_index":${process.threads++}}`)
    }
    return { members }
  }

  #freeTid(process: Process): string {
    for (let tid = process.tids.size + 1; ; tid++) if (!process.tids.has(String(tid))) return String(tid)
  }

  #process(part: Part, track: PartTrack | null, pid: string): Process {
    const chrome = part.source.kind === 'chrome-trace'
    const origin = track?.model.origin ?? 'framework'
    const key = chrome ? `${part.index}/${pid}` : `${part.index}/${origin}/${pid}`
    let process = this.#processes.get(key)
    if (!process) {
      const wanted = pid === '' ? '' : idText(pid)
      const moved = !chrome || this.#taken.has(wanted)
      process = { pid: moved ? this.#freePid() : wanted, order: this.#processes.size, threads: 0, tids: new Set(), moved }
      this.#taken.add(process.pid)
      this.#processes.set(key, process)
      this.#describe(part, track, process, chrome, origin, pid)
    }
    return process
  }

  #freePid(): string {
    while (this.#taken.has(String(this.#own))) this.#own++
    return String(this.#own++)
  }

  #describe(part: Part, track: PartTrack | null, process: Process, chrome: boolean, origin: string, pid: string): void {
    if (process.pid === '') return
    const members = `,"pid":${process.pid}`
    const told = pid === '' ? '' : ` (PID:${pid})`
    const own = track?.model.processName ?? ''
    const name = chrome ? (process.moved ? `${own || 'process'}${told}` : own) : `${ORIGINS[origin] ?? origin}${told}`
    const labels = chrome ? (track?.model.processLabels ?? '') : ''
    const file = process.moved ? part.source.file.path : ''
    if (name !== '') this.#meta('process_name', members, `{"name":${cut(name)}}`)
    const text = [labels, file].filter(Boolean).join(', ')
    if (text !== '') this.#meta('process_labels', members, `{"labels":${cut(text)}}`)
    this.#meta('process_sort_index', members, `{"sort_index":${process.order}}`)
  }

  #meta(name: string, members: string, args: string): void {
    this.#metadata.push(`{"ph":"M","name":"${name}"${members},"ts":0,"args":${args}}`)
  }
}

const cut = (name: string): string => JSON.stringify(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)
