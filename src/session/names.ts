/** What the names of folders and files tell: instance, process, time of the session, rank. */

export interface InstanceName {
  readonly instanceId: string
  readonly pid: number
}

/** `<instance-id>_pid_<pid>`; notes on the runtime also spell it with hyphens (`-pid`). null where the name is neither. */
export function instanceOfName(name: string): InstanceName | null {
  const match = /^(.+?)[_-]pid[_-](\d{1,15})$/.exec(name)
  return match ? { instanceId: match[1] as string, pid: Number(match[2]) } : null
}

/**
 * The `rank<N>` or `rank_<N>` token of a file name; null without one. The token must not be the end of a longer word (`prank3` has none).
 * The first one counts.
 */
export function rankOfName(path: string): number | null {
  const base = path.slice(path.lastIndexOf('/') + 1)
  const match = /(?<![a-z])rank_?(\d{1,9})(?!\d)/i.exec(base)
  return match ? Number(match[1]) : null
}

export interface PlaceName {
  readonly instanceId: string | null
  readonly pid: number | null
  readonly timestamp: string | null
}

/**
 * Instance, process and timestamp of a session folder from the names of its path, outermost first. The innermost instance folder counts; the folder directly
 * inside it is the timestamp when its name has a digit (the guides don't state the format; a folder such as `neffs` is none). Without an instance folder a name is
 * taken for a timestamp only when it can be nothing else: Unix time in ms to ns, or a date and time.
 */
export function placeOfNames(names: readonly string[]): PlaceName {
  for (let i = names.length - 1; i >= 0; i--) {
    const instance = instanceOfName(names[i] as string)
    if (!instance) continue
    const inside = names[i + 1]
    return { ...instance, timestamp: inside !== undefined && /\d/.test(inside) ? inside : null }
  }
  const last = names.at(-1) ?? ''
  const timed = /^\d{13}(\d{3}){0,2}$/.test(last) || /^20\d{2}[-_]?\d{2}[-_]?\d{2}[-_T]?\d{2}[-_:]?\d{2}[-_:]?\d{2}/.test(last)
  return { instanceId: null, pid: null, timestamp: timed ? last : null }
}

/** Entries that no walk lists: hidden ones and the temporary files of editors. */
export const isHiddenName = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('~') || /\.sw[a-p]$/.test(name) || /^#.*#$/.test(name)

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39

/** Order of names for people: runs of digits by value (`nc_2` before `nc_10`), otherwise by code unit. Total, and the same on every machine. */
export function compareNames(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(j)
    if (!isDigit(x) || !isDigit(y)) {
      if (x !== y) return x - y
      i++
      j++
      continue
    }
    while (a.charCodeAt(i) === 0x30) i++
    while (b.charCodeAt(j) === 0x30) j++
    let first = 0
    const [from, to] = [i, j]
    for (; isDigit(a.charCodeAt(i)) && isDigit(b.charCodeAt(j)); i++, j++) first ||= a.charCodeAt(i) - b.charCodeAt(j)
    while (isDigit(a.charCodeAt(i))) i++
    while (isDigit(b.charCodeAt(j))) j++
    const order = i - from - (j - to) || first
    if (order !== 0) return order
  }
  // Equal up to leading zeros: decided by code unit.
  return a.length - i - (b.length - j) || (a < b ? -1 : a > b ? 1 : 0)
}

/** Folder by folder, each by compareNames; '.' first. */
export function comparePaths(a: string, b: string): number {
  const left = a === '.' ? [] : a.split('/')
  const right = b === '.' ? [] : b.split('/')
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareNames(left[i] as string, right[i] as string)
    if (order !== 0) return order
  }
  return left.length - right.length
}
