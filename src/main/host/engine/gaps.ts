/** Idle stretches of NeuronCores, longest first, with what the host did meanwhile. */
import { coreIdle, idleInRange, type IdleGap, type IdleInRange } from '../../../analysis/system/gaps'
import { innermostByName, type Innermost } from '../../../analysis/trace/innermost'
import type { Answers, RequestArgs } from '../../../shared/api'
import type { Gap } from '../../../shared/trace-api'
import { refAt, type EngineContext, type Part, type PartTrack } from './context'
import type { Turn } from './lanes'

type Answer = Answers['trace.gaps']

interface Core {
  readonly name: string
  readonly part: Part
  readonly track: PartTrack
}

/** Names of the host's work that are told for a gap. */
const HOST_NAMES = 5

export async function traceGaps(context: EngineContext, q: RequestArgs<'trace.gaps'>, turn: Turn): Promise<Answer> {
  const empty: Answer = { version: context.version, cancelled: false, gaps: [], total: 0, cores: [], silent: [], reason: null }
  const over: Answer = { ...empty, cancelled: true }
  const tracks = context.parts.filter(p => p.group === q.group).flatMap(part => part.tracks.map(track => ({ part, track })))
  const cores = coresOf(tracks)
  const silent = silentCores(tracks, cores)
  if (cores.length === 0) return { ...empty, silent, reason: whyNone(tracks) }
  const found: { readonly core: Core; readonly idle: IdleInRange }[] = []
  for (const core of cores) {
    const idle = await coreIdle(core.track.model, turn)
    if (!idle) return over
    const at = core.part.offset
    found.push({
      core,
      idle: idleInRange(
        idle,
        q.start === null ? -Infinity : q.start - at,
        q.end === null ? Infinity : q.end - at,
        q.minNs,
        core.track.model.knownFrom ?? null,
      ),
    })
    if (turn.due && (await turn.pause())) return over
  }
  const longest = longestGaps(found, q.limit)
  const gaps: Gap[] = []
  for (const { core, gap } of longest) {
    const host = await hostDuring(core, gap, tracks, turn)
    if (!host) return over
    const { part, track } = core
    gaps.push({
      core: core.name,
      track: track.id,
      start: gap.start + part.offset,
      end: gap.end + part.offset,
      before: refAt(part, track, gap.before),
      after: refAt(part, track, gap.after),
      host,
    })
  }
  return {
    ...empty,
    gaps,
    total: found.reduce((n, f) => n + f.idle.gaps.length, 0),
    cores: found.map(({ core: { name, part, track }, idle }) => ({
      core: name,
      track: track.id,
      idleNs: idle.idleNs,
      busyNs: idle.busyNs,
      knownNs: idle.knownNs,
      gaps: idle.gaps.length,
      known: idle.known && [idle.known[0] + part.offset, idle.known[1] + part.offset],
      headLost: track.model.knownFrom !== undefined && track.model.knownFrom !== null,
    })),
    silent,
  }
}

interface At {
  readonly part: Part
  readonly track: PartTrack
}

const isCore = ({ model: m }: PartTrack): boolean => m.kind === 'slices' && m.role === 'core' && m.tid !== ''

/**
 * Cores of which the hardware tells, each as one track; the process is named where several have cores. Events that name only the logical core (those of collectives do) stand
 * on a track of their own beside its physical cores: that is no core.
 */
export function coresOf(tracks: readonly At[]): readonly Core[] {
  const all = tracks.filter(({ track }) => isCore(track) && track.model.origin === 'neuron_hw')
  const physical = new Set(all.filter(({ track }) => isPhysical(track)).map(({ track }) => logicalCore(track)))
  const hardware = all.filter(({ track }) => isPhysical(track) || !physical.has(logicalCore(track)))
  const several = new Set(hardware.map(({ track }) => track.model.pid)).size > 1
  return hardware.map(({ part, track }) => ({ name: coreName(track, several), part, track }))
}

/** `tid` of a core's track is `device:nc:core`; the runtime's own events name no physical core. */
const logicalCore = ({ model: m }: PartTrack): string => JSON.stringify([m.pid, ...m.tid.split(':').slice(0, 2)])
const isPhysical = ({ model: m }: PartTrack): boolean => !m.tid.endsWith(':')

const coreName = ({ model: m }: PartTrack, several: boolean): string =>
  [several && m.pid !== '' ? `PID:${m.pid}` : '', m.note, m.name].filter(Boolean).join('/')

/** Logical cores that the runtime names and of which there is no hardware event. */
function silentCores(tracks: readonly At[], cores: readonly Core[]): readonly string[] {
  const told = new Set(cores.map(c => logicalCore(c.track)))
  const runtime = tracks.filter(({ track }) => isCore(track) && track.model.origin === 'neuron_rt' && !told.has(logicalCore(track)))
  const several = new Set(runtime.map(({ track }) => track.model.pid)).size > 1
  return [...new Set(runtime.map(({ track }) => coreName(track, several)))]
}

function whyNone(tracks: readonly At[]): string {
  const of = (origin: string): boolean => tracks.some(({ track: { model: m } }) => m.kind === 'slices' && m.origin === origin)
  if (of('neuron_hw')) return 'The hardware events of this recording do not say on which core they ran.'
  if (of('neuron_rt'))
    return 'This recording has events of the runtime, but none of the hardware: when the host asked is known, when a core ran is not.'
  if (of('runtime')) return 'Whether the events of this recording are of the host or of the hardware is not known.'
  return 'There is no trace of the runtime in this time range, so nothing tells when a NeuronCore ran.'
}

/** The longest gaps over all cores; of equal ones the earlier, then by core. */
function longestGaps(
  found: readonly { readonly core: Core; readonly idle: IdleInRange }[],
  limit: number,
): readonly { readonly core: Core; readonly gap: IdleGap }[] {
  const all = found.flatMap(({ core, idle }) => idle.gaps.map(gap => ({ core, gap })))
  const length = (g: IdleGap): number => g.end - g.start
  return all
    .sort((a, b) => length(b.gap) - length(a.gap) || a.gap.start + a.core.part.offset - b.gap.start - b.core.part.offset)
    .slice(0, limit)
}

/** Threads of the framework in the core's process. Where the core's events name no process, those of the only process there is. */
function hostThreads(core: Core, tracks: readonly At[]): readonly At[] {
  const threads = tracks.filter(
    ({ track: { model: m } }) => m.kind === 'slices' && m.role === 'thread' && (m.origin ?? 'framework') === 'framework',
  )
  const { pid } = core.track.model
  if (pid !== '') return threads.filter(t => t.track.model.pid === pid)
  return new Set(threads.map(t => t.track.model.pid)).size === 1 ? threads : []
}

async function hostDuring(core: Core, gap: IdleGap, tracks: readonly At[], turn: Turn): Promise<Gap['host'] | null> {
  const all: { readonly at: At; readonly one: Innermost }[] = []
  for (const at of hostThreads(core, tracks)) {
    const by = core.part.offset - at.part.offset
    const names = await innermostByName(at.track.model, gap.start + by, gap.end + by, turn)
    if (!names) return null
    for (const one of names.slice(0, HOST_NAMES)) all.push({ at, one })
    if (turn.due && (await turn.pause())) return null
  }
  return all
    .sort((a, b) => b.one.ns - a.one.ns)
    .slice(0, HOST_NAMES)
    .map(({ at: { part, track }, one }) => {
      const ref = refAt(part, track, one.longest)
      return { name: ref.name, trackName: track.info.name, ns: one.ns, ref }
    })
}
