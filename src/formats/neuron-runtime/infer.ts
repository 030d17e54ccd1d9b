/**
 * A numbering found in the data alone, where no schema fits: the attributes by their keys, the time by its values, phase and tracking id by the pairs they make, the event
 * number by its attributes. A role is only given where exactly one field can have it; without the roles that everything rests on there is no numbering.
 */
import { KNOWN_KEYS } from './catalogue'
import type { Coding, Numbering, Role } from './description'
import { Evidence, type Column } from './evidence'
import { RoleTests } from './assess'
import type { FieldSeen, Sample } from './sample'

export interface Inference {
  readonly numbering: Numbering | null
  /** Why there is none: what was ambiguous or missing. */
  readonly reason: string
  /** Fields without a role. */
  readonly unknown: readonly number[]
  /** True where two ids make the same pairs and nothing tells which is the tracking id. */
  readonly idsAlike: boolean
}

/** Fewer pairs than this may be chance. */
const PAIRS = 3
const MESSAGES = 6

const wireOf = (f: FieldSeen): 0 | 1 | 2 | 5 | null => {
  const used = ([0, 1, 2, 5] as const).filter(w => f.wires[w] > 0)
  return used.length === 1 ? (used[0] as 0 | 1 | 2 | 5) : null
}
const codingOf = (wire: 0 | 1 | 2 | 5): Coding => (wire === 0 ? 'varint' : wire === 1 ? 'fixed64' : wire === 5 ? 'fixed32' : 'bytes')

export function inferNumbering(sample: Sample): Inference {
  const none = (reason: string): Inference => ({ numbering: null, reason, unknown: [...sample.fields.keys()], idsAlike: false })
  if (sample.count < MESSAGES) return none(`${sample.count} messages are too few to tell fields by their values`)
  const e = new Evidence(sample)
  const tests = new RoleTests(e)
  const numeric: FieldSeen[] = []
  const maps: FieldSeen[] = []
  for (const f of sample.fields.values()) {
    const wire = wireOf(f)
    if (wire === null) continue
    if (wire === 2) {
      const keys = f.pairs.flat().map(p => p[0])
      if (f.entries === f.times && keys.filter(k => KNOWN_KEYS.has(k)).length >= 0.3 * keys.length) maps.push(f)
    } else if (f.repeats === 0) numeric.push(f)
  }
  if (maps.length !== 1) return none(maps.length === 0 ? 'no field holds attributes with known keys' : `${list(maps)} hold attributes`)
  const attributes = maps[0] as FieldSeen
  e.useAttributes(attributes)
  const columns = numeric.map(f => e.column(f.number))
  const roles = new Map<Role, Column>()
  const one = (role: Role, found: readonly Column[], what: string): string | null => {
    if (found.length !== 1)
      return found.length === 0 ? `no field can be ${what}` : `${list(found.map(c => ({ number: c.field })))} could both be ${what}`
    roles.set(role, found[0] as Column)
    return null
  }
  const time = one(
    'timestamp',
    columns.filter(c => tests.fault('timestamp', c, roles) === null),
    'the time (Unix ns that go forward)',
  )
  if (time) return none(time)
  // Phase and tracking id show themselves together.
  const pairs: { readonly phase: Column; readonly tracking: Column }[] = []
  const rest = columns.filter(c => c !== roles.get('timestamp'))
  for (const phase of rest) {
    if (tests.fault('phase', phase, roles) !== null) continue
    for (const tracking of rest) {
      if (tracking === phase) continue
      const p = e.pairing(roles.get('timestamp') as Column, phase, tracking, null)
      const fault = tests.fault('tracking_id', tracking, new Map(roles).set('phase', phase))
      if (fault === null && p.matched >= PAIRS && p.matched >= 0.5 * Math.min(p.starts, p.stops)) pairs.push({ phase, tracking })
    }
  }
  const phases = [...new Set(pairs.map(p => p.phase))]
  const phase = one('phase', phases, 'the phase (1 to 3, with an id that pairs starts with stops)')
  if (phase) return none(phase)
  const ids = pairs.map(p => p.tracking)
  const first = ids[0] as Column
  const made = (c: Column): string => e.pairing(roles.get('timestamp') as Column, phases[0] as Column, c, null).partner.join()
  if (ids.some(c => made(c) !== made(first)))
    return none(`${list(ids.map(c => ({ number: c.field })))} pair starts with stops, and differently`)
  // Which of them is the tracking id: the one with the core in its upper bits.
  const withCore = ids.filter(t => rest.some(c => !ids.includes(c) && c.nonZero > 0 && e.inTracking(c, t) >= 0.9))
  const tracking = withCore.length === 1 ? (withCore[0] as Column) : first
  roles.set('tracking_id', tracking)
  const taken = (c: Column): boolean => [...roles.values()].includes(c)
  const free = (): readonly Column[] => columns.filter(c => !taken(c))
  let types = free().filter(c => !ids.includes(c) && tests.fault('type', c, roles) === null)
  // Where several decide the attributes equally well, the one whose values are event numbers.
  if (types.length > 1) {
    const known = types.filter(c => e.agreement(c, 0) >= 0.5)
    types = known.length > 0 ? known : types.filter(c => e.agreement(c, 8) >= 0.5)
  }
  const type = one('type', types, 'the event number (attributes go with it)')
  if (type) return none(type)
  // The others only where nothing else can be meant.
  const only = (role: Role, pass: (c: Column) => boolean): void => {
    const found = free().filter(c => c.nonZero > 0 && tests.fault(role, c, roles) === null && pass(c))
    if (found.length === 1) roles.set(role, found[0] as Column)
  }
  only('nc_idx', c => {
    const cores = e.ofCores(c)
    return e.inTracking(c, tracking) >= 0.9 || (cores.cores > 1 && cores.one && cores.values > 1)
  })
  // Parents name ids: both show themselves together, too.
  const families = free().flatMap(id =>
    tests.fault('id', id, roles) === null && id.nonZero >= 0.5 * e.count
      ? free().flatMap(parent =>
          parent !== id && parent.distinct > 2 && parent.distinct < id.distinct && e.names(parent, id) >= 0.9 ? [{ id, parent }] : [],
        )
      : [],
  )
  if (families.length === 1 && families[0]) roles.set('id', families[0].id).set('parent_id', families[0].parent)
  only('thread_id', c => (c.distinct > 1 || c.max > 4096n) && !families.some(f => f.parent === c))
  const numbering = new Map<Role, { field: number; coding: Coding }>()
  for (const [role, c] of roles)
    numbering.set(role, { field: c.field, coding: codingOf(wireOf(sample.fields.get(c.field) as FieldSeen) ?? 0) })
  numbering.set('attributes', { field: attributes.number, coding: 'map' })
  const used = new Set([...numbering.values()].map(f => f.field))
  return {
    numbering,
    reason: '',
    unknown: [...sample.fields.keys()].filter(f => !used.has(f)),
    idsAlike: withCore.length !== 1 && ids.some(c => c !== tracking && c !== roles.get('id')),
  }
}

const list = (fields: readonly { readonly number: number }[]): string =>
  `fields ${fields
    .map(f => f.number)
    .sort((a, b) => a - b)
    .filter((n, i, all) => n !== all[i - 1])
    .join(' and ')}`
