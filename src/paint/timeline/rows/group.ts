/** Tracks in the groups of a grouping, in their own order, with the words of their rows. Made once per list of tracks and grouping. */
import type { SourceInfo, TrackInfo } from '../../../shared/api'
import type { Grouping } from '../../../shared/trace-api'
import { sourceNames, trackKeys } from './keys'
import type { Grouped, InstanceGroup, NameContext, Placed, RowWords, Section } from './model'
import { LANES, ncName, pidName, shortNote, threadOf } from './names'
import { goesByThread, homeOf, type Home } from './rules'

export const INSTANCE_KEY = 'instance'

/** Order of a group's tracks by where their events come from. */
const ORIGIN = { framework: 0, neuron_rt: 1, runtime: 2, neuron_hw: 3, transfer: 4, hbm: 5, pytorch: 6, host: 7 } as const
const originOf = (t: TrackInfo): number => ORIGIN[t.origin ?? 'framework']

/** Words before a track's name, where its origin is always told. */
const PREFIXES: Readonly<Record<string, string>> = { neuron_rt: 'neuron_rt', neuron_hw: 'neuron_hw', runtime: 'runtime' }

const cache = new WeakMap<readonly TrackInfo[], Map<string, Grouped>>()

/** Groups of all tracks. The same object for the same tracks, grouping and instance, as long as the sources are the same. */
export function groupTracks(
  tracks: readonly TrackInfo[],
  sources: readonly SourceInfo[],
  grouping: Grouping,
  instance: string | null,
): Grouped {
  let known = cache.get(tracks)
  if (!known) cache.set(tracks, (known = new Map()))
  const id = JSON.stringify([grouping, instance, sources.map(s => [s.index, s.path, s.kind, s.rank])])
  let grouped = known.get(id)
  if (!grouped) known.set(id, (grouped = make(tracks, sources, grouping, instance)))
  return grouped
}

interface Draft {
  readonly home: Home
  readonly at: number
  readonly tracks: PlacedTrack[]
  readonly words: Words
}

function make(tracks: readonly TrackInfo[], sources: readonly SourceInfo[], grouping: Grouping, own: string | null): Grouped {
  const names = namesOf(tracks, own)
  const sourceName = sourceNames(sources)
  const keys = trackKeys(tracks, sourceName)
  const source = (t: TrackInfo): string => sourceName.get(t.source) ?? String(t.source)
  const order = new Map<string, number>()
  const traceOf = new Map<string, string | null>()
  for (const t of tracks) {
    if (!order.has(t.pid) && t.origin !== 'host') order.set(t.pid, order.size)
    if ((t.origin ?? 'framework') !== 'framework' || t.pid === '') continue
    const before = traceOf.get(t.pid)
    traceOf.set(t.pid, before === undefined || before === source(t) ? source(t) : null)
  }
  const pidRank = (t: TrackInfo): number => order.get(t.pid) ?? order.size
  const input = { names, source, traceOf, order: pidRank }
  const threads = goesByThread(grouping)
  const instances = new Map<string, Map<string, Draft>>()
  let count = 0
  tracks.forEach((track, at) => {
    if (track.arranged === (threads ? 'by-core' : 'by-thread')) return
    count++
    const home = homeOf(grouping, track, input)
    const instance = track.instance === undefined || track.instance === names.instance ? '' : track.instance
    let homes = instances.get(instance)
    if (!homes) instances.set(instance, (homes = new Map()))
    const draft = homes.get(home.key)
    const words = draft?.words ?? { make: null }
    const one = new PlacedTrack(track, keys[at] as string, at, words)
    if (draft) draft.tracks.push(one)
    else homes.set(home.key, { home, at, tracks: [one], words })
  })
  const ranks = new Map(sources.map(s => [s.index, s]))
  const groups = [...instances].map(([instance, homes]): InstanceGroup => {
    const key = instance === '' ? INSTANCE_KEY : `${INSTANCE_KEY}/${instance}`
    const named = instance || names.instance
    const sections = [...homes.values()].sort((a, b) => compareRanks(a.home.rank, b.home.rank) || a.at - b.at)
    return {
      key,
      title: named || (grouping === 'instance' ? 'Instance not named' : null),
      full: named,
      sections: sections.map(d => sectionOf(d, key, instance, grouping, { names, ranks, pidRank })),
    }
  })
  return { grouping, names, instances: groups, tracks: count }
}

/** The session's instance is the one of the folder, or the only one that the files name. */
function namesOf(tracks: readonly TrackInfo[], own: string | null): NameContext {
  const named = new Set(tracks.flatMap(t => t.instance ?? []))
  const devices = new Set(tracks.flatMap(t => (t.nc === undefined ? [] : (t.device ?? []))))
  return { instance: own ?? (named.size === 1 ? ([...named][0] as string) : ''), devices: devices.size > 1 }
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const d = (a[i] ?? 0) - (b[i] ?? 0)
    if (d !== 0) return d
  }
  return 0
}

interface Facts {
  readonly names: NameContext
  readonly ranks: ReadonlyMap<number, SourceInfo>
  readonly pidRank: (t: TrackInfo) => number
}

function sectionOf({ home, tracks, words }: Draft, instanceKey: string, instance: string, grouping: Grouping, f: Facts): Section {
  const mixed = grouping === 'instance' || grouping === 'cpu-device'
  if (mixed || tracks.some(t => t.track.origin !== undefined)) {
    const threads = new Map<string, number>()
    if (home.key === 'cpu') for (const { track } of tracks) if (!threads.has(threadOf(track))) threads.set(threadOf(track), threads.size)
    const thread = (t: TrackInfo): number => threads.get(threadOf(t)) ?? 0
    tracks.sort(
      ({ track: a, at: p }, { track: b, at: q }) =>
        (mixed ? f.pidRank(a) - f.pidRank(b) : 0) || (threads.size > 0 ? thread(a) - thread(b) : 0) || originOf(a) - originOf(b) || p - q,
    )
  }
  const first = tracks[0]?.track as TrackInfo
  const rank = f.ranks.get(first.source)?.rank ?? null
  const about = [rank === null ? '' : `rank ${rank}`, first.processName, first.processLabels].filter(Boolean)
  words.make = wordsOf(tracks, grouping, f)
  return {
    key: instance === '' ? home.key : `${home.key}@${instance}`,
    instance: instanceKey,
    title: home.title,
    sub: home.sub ?? about.filter((n, i) => about.indexOf(n) === i).join(' · '),
    full: home.full,
    closed: home.closed,
    tracks,
  }
}

/** How the words of a group's rows are made; set once all of them are known. */
interface Words {
  make: ((t: TrackInfo) => RowWords) | null
}

class PlacedTrack implements Placed {
  readonly track: TrackInfo
  readonly key: string
  /** Place among all tracks. */
  readonly at: number
  readonly #of: Words
  #words: RowWords | null = null

  constructor(track: TrackInfo, key: string, at: number, of: Words) {
    this.track = track
    this.key = key
    this.at = at
    this.#of = of
  }

  get words(): RowWords {
    return (this.#words ??= this.#of.make?.(this.track) ?? { prefix: '', label: this.track.name, note: '' })
  }
}

const about = (...parts: readonly string[]): string => parts.filter(Boolean).join(' · ')

/** What the rows of a group say. What depends on all of them is looked at when the first is asked for. */
function wordsOf(tracks: Draft['tracks'], grouping: Grouping, f: Facts): (t: TrackInfo) => RowWords {
  let all: { readonly several: boolean; readonly allocators: boolean; readonly named: boolean } | null = null
  return t => {
    all ??= {
      several: new Set(tracks.map(k => k.track.pid)).size > 1,
      allocators: new Set(tracks.flatMap(({ track: k }) => (k.origin === 'pytorch' ? [`${k.source}/${k.tid}`] : []))).size > 1,
      // The source is named only where it fits beside every name of the group: some with and some without would look like a difference.
      named:
        grouping !== 'default' ||
        tracks.every(({ track: k }) => k.kind === 'counter' || (k.name.length <= 9 && (k.depth > 1 || shortNote(k) === ''))),
    }
    const pid = all.several ? pidName(t.pid) : ''
    const own = f.ranks.get(t.source)
    switch (t.origin) {
      case 'transfer':
        return { prefix: grouping === 'neuroncore' ? '' : ncName(t, f.names), label: LANES[t.name] ?? t.name, note: pid }
      case 'pytorch': {
        const rank = own?.rank ?? null
        const whose = all.allocators ? [rank === null ? '' : `rank ${rank}`, `device ${t.tid}`] : []
        const [name, ...rest] = t.name.split(', ')
        return { prefix: '', label: `PyTorch ${name ?? ''}`, note: about(...whose, whose.length > 0 ? '' : rest.join(', ')) }
      }
      case 'hbm':
      case 'host':
        return { prefix: '', label: t.name, note: about(pid, shortNote(t)) }
      default:
    }
    const framework = all.named && t.kind === 'slices' && (own?.kind === 'chrome-trace' || grouping !== 'default') ? 'framework' : ''
    return { prefix: PREFIXES[t.origin ?? ''] ?? framework, label: t.name, note: about(pid, shortNote(t)) }
  }
}
