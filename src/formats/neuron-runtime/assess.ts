/**
 * Whether a numbering is right for a file: each role is tested on the values of its field, and then on what the other fields hold. Roles whose fields could be swapped
 * without any test failing are not known. If such a role is one that everything rests on (time, phase, event number, pairs), the numbering is refused.
 */
import type { SchemaCheck } from '../../shared/system-tables'
import { KNOWN_KEYS } from './catalogue'
import { WIRE_OF, type Numbering, type Role } from './description'
import { Evidence, type Column } from './evidence'
import type { Sample } from './sample'

export interface Assessment {
  readonly ok: boolean
  readonly checks: readonly SchemaCheck[]
  /** Roles that are not to be used. */
  readonly unverified: readonly Role[]
}

/** Roles without which nothing can be decoded. */
const ESSENTIAL: readonly Role[] = ['timestamp', 'phase', 'tracking_id', 'type']
const NUMERIC: readonly Role[] = [
  'type',
  'timestamp',
  'data',
  'nd_idx',
  'nc_idx',
  'event_type',
  'duration',
  'thread_id',
  'id',
  'parent_id',
  'status',
  'phase',
  'tracking_id',
  'nrta_seq_id',
]
/** From here on the numbers tell something; with fewer messages chance would. */
const SOME = 4

const percent = (share: number): string => `${(100 * share).toFixed(share > 0.99 && share < 1 ? 2 : 0)} %`

/** The columns that the roles stand for under one numbering. */
export type Roles = ReadonlyMap<Role, Column>

/** Tests of one role on the values of a field, given the other roles. Pure: the same question for any field. */
export class RoleTests {
  readonly e: Evidence
  constructor(e: Evidence) {
    this.e = e
  }

  /** null: passes; otherwise what is wrong. `now`: the assignment that the field `c` competes with, for tests that only tell better from worse. */
  fault(role: Role, c: Column, roles: Roles, now: Column | null = null): string | null {
    const { e } = this
    const get = (r: Role): Column | null => roles.get(r) ?? null
    const pairing = this.pairing(roles)
    const equal = (least: number): string | null => {
      if (!pairing || pairing.matched < SOME) return null
      const share = e.equalInPairs(pairing, c)
      return share < least ? `start and stop differ in ${percent(1 - share)} of the pairs` : null
    }
    const below = (limit: bigint): string | null => (c.max >= limit ? `it is as large as ${c.max}` : null)
    switch (role) {
      case 'timestamp': {
        const share = e.plausible(c) / e.count
        if (share < 0.9) return `${percent(share)} of the messages have a time between 2015 and 2100`
        const back = e.descents(c)
        return e.count >= 8 && back > 0.3 ? `${percent(back)} of the steps go back in time` : null
      }
      case 'phase': {
        let known = 0
        for (const v of c.value) if (v >= 1n && v <= 3n) known++
        if (known < 0.99 * e.count) return `${percent(known / e.count)} of the messages have a phase from 1 to 3`
        const time = get('timestamp')
        const tracking = get('tracking_id')
        // A field that is always 1 would make nothing but starts.
        if (
          now &&
          now !== c &&
          time &&
          tracking &&
          e.pairing(time, c, tracking, null).matched < 0.5 * e.pairing(time, now, tracking, null).matched
        )
          return 'it makes no pairs'
        return null
      }
      case 'tracking_id': {
        const time = get('timestamp')
        const phase = get('phase')
        if (!time || !phase) return null
        const p = e.pairing(time, phase, c, get('type'))
        const most = Math.min(p.starts, p.stops)
        if (now && now !== c) {
          const [mine, other] = [e.pairing(time, phase, c, null), e.pairing(time, phase, now, null)]
          if (mine.matched < 0.5 * other.matched || mine.keys < 0.5 * other.keys) return `${mine.matched} pairs by ${mine.keys} ids`
        }
        const nc = get('nc_idx')
        if (now && now !== c && nc && e.inTracking(nc, now) >= 0.9 && !(e.inTracking(nc, c) >= 0.9))
          return 'its upper bits are not the core'
        if (most < SOME) return null
        if (p.matched < 0.5 * most) return `${p.matched} pairs of ${p.starts} starts and ${p.stops} stops`
        if (p.clashes > 0.1 * p.starts) return `${p.clashes} of ${p.starts} starts have an id that is in use`
        return p.keys < 0.25 * p.matched ? `${p.keys} ids for ${p.matched} pairs` : null
      }
      case 'type': {
        if (c.max >= 65536n || c.distinct > 512) return `${c.distinct} numbers, the largest is ${c.max}`
        const phase = get('phase')
        const purity = phase ? e.purity(c, phase) : NaN
        if (purity < 0.8) return `the attributes of ${percent(1 - purity)} of the messages are not those of their number`
        if (now && now !== c && e.keyed > 0) {
          const most = e.agreement(now, 0) >= 0.5 ? 0 : 8
          if (e.agreement(c, most) < 0.5) return 'its numbers do not go with the attributes'
        }
        return equal(0.95)
      }
      case 'nc_idx': {
        const cores = e.ofCores(c)
        if (cores.cores > 1 && !cores.one) return 'one physical core belongs to several'
        if (now && now !== c) {
          const tracked = get('tracking_id')
          if (tracked && e.inTracking(now, tracked) >= 0.9 && !(e.inTracking(c, tracked) >= 0.9)) return 'it is not in the tracking ids'
        }
        return below(4096n) ?? equal(0.95)
      }
      case 'nd_idx': {
        const nc = get('nc_idx')
        if (nc && nc !== c && !e.determines(nc, c)) return 'one NeuronCore belongs to several devices'
        return below(256n) ?? equal(0.95)
      }
      case 'thread_id': {
        if (c.nonZero < 0.5 * e.count) return `${percent(1 - c.nonZero / e.count)} of the messages have none`
        if (c.nonZero >= 8 && c.distinct * 4 > c.nonZero) return `${c.distinct} different ones in ${c.nonZero} messages`
        return below(2n ** 32n) ?? equal(0.8)
      }
      case 'id': {
        if (c.nonZero >= SOME && c.distinct < 0.4 * c.nonZero) return `${c.distinct} different ones in ${c.nonZero} messages`
        const parent = get('parent_id')
        if (now && now !== c && parent && e.names(parent, now) >= 0.8 && !(e.names(parent, c) >= 0.8)) return 'parents do not name it'
        return null
      }
      case 'parent_id': {
        const id = get('id')
        if (!id || id.nonZero === 0 || id === c) return null
        const share = e.names(c, id)
        return share < 0.5 ? `${percent(1 - share)} name no event` : null
      }
      case 'duration':
        return c.max >= 10n ** 16n ? `it is as large as ${c.max}` : null
      case 'status':
        // A code of 0 is what goes well.
        return below(2n ** 32n) ?? (c.nonZero > 0.5 * e.count ? `it is not 0 in ${percent(c.nonZero / e.count)} of the messages` : null)
      case 'event_type': {
        const type = get('type')
        if (type && type !== c && !e.determines(type, c)) return 'events of one number have several'
        return below(2n ** 32n)
      }
      default:
        return null
    }
  }

  pairing(roles: Roles): ReturnType<Evidence['pairing']> | null {
    const time = roles.get('timestamp')
    const phase = roles.get('phase')
    const tracking = roles.get('tracking_id')
    return time && phase && tracking ? this.e.pairing(time, phase, tracking, roles.get('type') ?? null) : null
  }
}

/**
 * Tests a numbering on a sample. `exactSchema`: the numbers come from the runtime's own schema, so that fields cannot be swapped and unknown attribute keys are
 * possible; the values must still be those of an event. `pinned`: roles whose numbers are sure.
 */
export function assess(sample: Sample, numbering: Numbering, exactSchema: boolean, pinned: readonly Role[] = []): Assessment {
  const checks: SchemaCheck[] = []
  const add = (name: string, fault: string | null, good: string): boolean => {
    checks.push({ name, ok: fault === null, detail: fault ?? good })
    return fault === null
  }
  const missing = (['timestamp', 'phase', 'tracking_id', 'type', 'attributes'] as const).filter(r => !numbering.has(r))
  if (missing.length > 0) {
    add('fields', `the schema has no field ${missing.join(', ')}`, '')
    return { ok: false, checks, unverified: [] }
  }
  let ok = add('wire types', wireFault(sample, numbering), wireDetail(sample, numbering))
  const e = new Evidence(sample)
  const attributes = sample.fields.get(numbering.get('attributes')?.field ?? 0) ?? null
  e.useAttributes(attributes)
  const roles = new Map<Role, Column>()
  for (const r of NUMERIC) {
    const f = numbering.get(r)
    if (f) roles.set(r, e.column(f.field))
  }
  const tests = new RoleTests(e)
  const at = (r: Role): Column => roles.get(r) as Column
  const faults = new Map(NUMERIC.filter(r => roles.has(r)).map(r => [r, tests.fault(r, at(r), roles)]))
  const swaps = exactSchema ? [] : swappable(tests, roles, faults, pinned)
  const ambiguous = (r: Role): string | null => {
    const others = swaps.filter(s => s.includes(r)).map(s => (s[0] === r ? s[1] : s[0]))
    // Two ids that make the same pairs: which is which does not matter for the slices.
    const bad = others.filter(o => !(r === 'tracking_id' && samePairs(tests, roles, o)))
    return bad.length === 0
      ? null
      : `field ${at(r).field} could as well be ${bad.join(' or ')}, and field ${bad.map(o => at(o).field).join(' or ')} this`
  }
  const essential = (name: string, r: Role, good: string): void => {
    ok = add(name, faults.get(r) ?? ambiguous(r), good) && ok
  }
  essential(
    'timestamp',
    'timestamp',
    `Unix ns in ${percent(e.plausible(at('timestamp')) / e.count)} of ${e.count} messages, ${percent(e.descents(at('timestamp')))} of the steps go back in time`,
  )
  essential('phase', 'phase', 'only start, stop and instant')
  const p = tests.pairing(roles) as NonNullable<ReturnType<RoleTests['pairing']>>
  essential(
    'pairing',
    'tracking_id',
    Math.min(p.starts, p.stops) < SOME
      ? `${p.starts} starts and ${p.stops} stops: too few to tell`
      : `${p.matched} pairs of ${p.starts} starts and ${p.stops} stops`,
  )
  ok = add('attributes', attributesFault(sample, numbering, exactSchema), attributesDetail(sample, numbering)) && ok
  essential(
    'event numbers',
    'type',
    e.keyed === 0
      ? 'no attributes to compare with'
      : `attributes go with the number in ${percent(e.purity(at('type'), at('phase')))} of ${e.keyed} messages`,
  )
  const unverified: Role[] = []
  for (const r of NUMERIC) {
    if (ESSENTIAL.includes(r) || !roles.has(r) || at(r).nonZero === 0) continue
    const fault = faults.get(r) ?? null
    const doubt = fault === null ? ambiguous(r) : null
    if (fault !== null && exactSchema) continue
    if (fault !== null || doubt !== null) unverified.push(r)
    if (fault !== null) add(r, `not used: ${fault}`, '')
    else if (doubt !== null) add(r, `not used: ${doubt}`, '')
    else add(r, null, goodOf(r, e, at(r), roles))
  }
  if (swaps.some(s => s.includes('tracking_id') && samePairs(tests, roles, s[0] === 'tracking_id' ? s[1] : s[0])))
    unverified.push('tracking_id')
  return { ok, checks, unverified }
}

function goodOf(r: Role, e: Evidence, c: Column, roles: Roles): string {
  const tracking = roles.get('tracking_id')
  if (r === 'nc_idx' && tracking && e.inTracking(c, tracking) >= 0.9) return 'equal to the upper bits of the tracking ids'
  return `${c.distinct} different values`
}

function samePairs(tests: RoleTests, roles: Roles, other: Role): boolean {
  const swapped = new Map(roles)
  const c = roles.get(other)
  if (!c || !['id', 'nrta_seq_id', 'data', 'parent_id', 'duration'].includes(other)) return false
  swapped.set('tracking_id', c)
  const a = tests.pairing(roles)
  const b = tests.pairing(swapped)
  return a !== null && b !== null && a.partner.every((v, i) => v === b.partner[i])
}

/** Pairs of roles, both with values in the data, whose fields could be swapped without a test of either failing. */
function swappable(
  tests: RoleTests,
  roles: Roles,
  faults: ReadonlyMap<Role, string | null>,
  pinned: readonly Role[],
): readonly (readonly [Role, Role])[] {
  const present = NUMERIC.filter(r => !pinned.includes(r) && (roles.get(r)?.nonZero ?? 0) > 0 && faults.get(r) === null)
  const out: [Role, Role][] = []
  for (const [i, a] of present.entries())
    for (const b of present.slice(i + 1)) {
      const [A, B] = [roles.get(a) as Column, roles.get(b) as Column]
      const swapped = new Map(roles).set(a, B).set(b, A)
      // The same values: nothing is swapped.
      if (A.value.every((v, k) => v === B.value[k])) continue
      if (tests.fault(a, B, swapped, A) === null && tests.fault(b, A, swapped, B) === null) out.push([a, b])
    }
  return out
}

// ── wire types and attributes ──

const NAME: Readonly<Record<number, string>> = { 0: 'varint', 1: 'fixed 64', 2: 'length-delimited', 5: 'fixed 32' }

function wireFault(sample: Sample, numbering: Numbering): string | null {
  for (const [role, { field, coding }] of numbering) {
    const seen = sample.fields.get(field)
    if (!seen) continue
    const want = WIRE_OF[coding] as 0 | 1 | 2 | 5
    const other = ([0, 1, 2, 5] as const).find(w => w !== want && seen.wires[w] > 0)
    if (other !== undefined) return `field ${field} (${role}) is ${NAME[other]}, not ${NAME[want]}`
    if (coding !== 'map' && seen.repeats > 0) return `field ${field} (${role}) stands several times in a message`
    if (role === 'hint' && seen.texts < seen.times) return `field ${field} (hint) is no text`
  }
  return null
}

function wireDetail(sample: Sample, numbering: Numbering): string {
  const known = new Set([...numbering.values()].map(f => f.field))
  const unknown = [...sample.fields.keys()].filter(f => !known.has(f))
  const good = `${sample.fields.size - unknown.length} fields as described`
  return unknown.length === 0 ? good : `${good}; not in the schema: ${unknown.join(', ')}`
}

/** Entries of the attributes whose key is known, and all of them. */
function keysOf(sample: Sample, field: number): readonly [number, number] {
  let known = 0
  let all = 0
  for (const list of sample.fields.get(field)?.pairs ?? [])
    for (const [key] of list) {
      all++
      if (KNOWN_KEYS.has(key)) known++
    }
  return [known, all]
}

function attributesFault(sample: Sample, numbering: Numbering, exactSchema: boolean): string | null {
  const field = numbering.get('attributes')?.field ?? 0
  const seen = sample.fields.get(field)
  if (seen && seen.entries < seen.times) return `field ${field} holds other things than pairs of texts`
  const [known, all] = keysOf(sample, field)
  if (all > 0) return known < (exactSchema ? 0.1 : 0.3) * all ? `${known} of ${all} keys are known` : null
  const other = [...sample.fields.values()].find(f => f.number !== field && f.entries > 0 && keysOf(sample, f.number)[0] > 0)
  return other ? `field ${other.number} holds the attributes, not field ${field}` : null
}

function attributesDetail(sample: Sample, numbering: Numbering): string {
  const [known, all] = keysOf(sample, numbering.get('attributes')?.field ?? 0)
  return all === 0 ? 'none in the messages looked at' : `${known} of ${all} keys are known`
}
