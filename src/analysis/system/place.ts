/** Where the events of a track happened, as far as all of them agree. */
import { stringAt } from '../../shared/columns'
import type { SystemTable } from '../../shared/system-tables'
import type { TrackPlace } from '../trace/model'

/** Role of the schema behind each fact: what the data does not confirm tells nothing. */
const ROLES = { instance: '', device: 'nd_idx', nc: 'nc_idx', core: '', worker: '', thread: 'thread_id' } as const
type Fact = keyof typeof ROLES
const FACTS = Object.keys(ROLES) as readonly Fact[]

/** Takes in the places of a track one by one; a fact on which two differ is none. */
export class PlaceFacts {
  readonly #unverified: ReadonlySet<string>
  #known: Partial<Record<Fact, string | number | null>> | null = null

  constructor(unverified: ReadonlySet<string>) {
    this.#unverified = unverified
  }

  add(t: Pick<SystemTable, 'places' | 'strings'>, place: number): void {
    const told = FACTS.map(f => [f, this.#unverified.has(ROLES[f]) ? null : factOf(t, place, f)] as const)
    const known = this.#known
    this.#known = Object.fromEntries(told.map(([f, value]) => [f, known && known[f] !== value ? null : value]))
  }

  get place(): TrackPlace {
    return Object.fromEntries(Object.entries(this.#known ?? {}).filter(([, value]) => value !== null))
  }
}

function factOf({ places: p, strings }: Pick<SystemTable, 'places' | 'strings'>, place: number, fact: Fact): string | number | null {
  switch (fact) {
    case 'instance': {
      const id = p.instance[place] as number
      return id < 0 ? null : stringAt(strings, id) || null
    }
    case 'thread': {
      const thread = p.thread[place] as number
      return Number.isNaN(thread) ? null : String(thread)
    }
    default: {
      const value = p[fact][place] as number
      return value < 0 ? null : value
    }
  }
}
