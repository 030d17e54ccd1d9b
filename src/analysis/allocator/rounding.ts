/**
 * How the CUDA caching allocator makes a block size of a request (round_size, roundup_power2_next_division and should_split of c10/cuda/CUDACachingAllocator.cpp,
 * roundup_power2_divisions of c10/core/AllocatorConfig.cpp), and the settings that change it.
 */

const MIN_BLOCK = 512
/** Requests up to this size come from the small pool. */
const SMALL_SIZE = 1024 * 1024
/** Divisions are set for sizes from 2^20 (and below) to 2^35 (and above), one number for each power of two. */
const INTERVALS = 16

export interface RoundingSettings {
  /** Blocks of at least this many bytes are never split; Infinity where nothing is set. */
  readonly maxSplit: number
  /** Divisions between two powers of two, by size: 0 or 1 for none. 16 numbers. */
  readonly divisions: readonly number[]
  /** Whether expandable segments were on when the snapshot was taken. */
  readonly expandable: boolean
}

const DEFAULTS: RoundingSettings = { maxSplit: Infinity, divisions: new Array<number>(INTERVALS).fill(0), expandable: false }

/**
 * What `allocator_settings` (JSON text, null for versions before 2.3 that write none) says of block sizes. Null where it cannot be read, or holds
 * divisions of a form that no known version writes.
 */
export function roundingSettings(text: string | null): RoundingSettings | null {
  if (text === null) return DEFAULTS
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch {
    return null
  }
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) return null
  const { max_split_size: maxSplit, roundup_power2_divisions: given, expandable_segments: expandable } = settings as Record<string, unknown>
  const divisions = given === undefined || given === null ? DEFAULTS.divisions : divisionsOf(given)
  if (divisions === null) return null
  return {
    maxSplit: typeof maxSplit === 'number' && maxSplit > 0 ? maxSplit : Infinity,
    divisions,
    expandable: expandable === true || expandable === 1,
  }
}

/** `{"1": n, "2": n, ... "32768": n}`: the key is the size in MiB from which the number holds. */
function divisionsOf(given: unknown): readonly number[] | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const out = [...DEFAULTS.divisions]
  for (const [key, n] of Object.entries(given)) {
    const at = /^\d{1,6}$/.test(key) ? floorLog2(Number(key)) : -1
    if (at < 0 || at >= INTERVALS || Number(key) !== 2 ** at || typeof n !== 'number' || !Number.isSafeInteger(n) || n < 0) return null
    out[at] = n
  }
  return out
}

/** Block bytes of a request before it is known whether the block is split. */
export function roundSize(size: number, { divisions }: RoundingSettings): number {
  if (size < MIN_BLOCK) return MIN_BLOCK
  const n = divisions[Math.min(INTERVALS - 1, Math.max(0, floorLog2(size) - 20))] as number
  if (n <= 1 || size <= MIN_BLOCK * n) return Math.ceil(size / MIN_BLOCK) * MIN_BLOCK
  const power = 2 ** floorLog2(size)
  if (size === power) return size
  const step = power / 2 ** floorLog2(n)
  return step < 1 ? 2 * power : Math.ceil(size / step) * step
}

/** Bytes that a block of `size` (rounded) takes of a free gap: the gap is split where what is left is worth it. */
export function takenOf(gap: number, size: number, expandable: boolean, settings: RoundingSettings): number {
  const left = gap - size
  if (left <= 0) return size
  const split = size <= SMALL_SIZE || expandable || settings.expandable ? left >= MIN_BLOCK : size < settings.maxSplit && left > SMALL_SIZE
  return split ? size : gap
}

/** Exponent of the largest power of two that is not larger; -1 for 0. */
const floorLog2 = (n: number): number => (n >= 2 ** 32 ? 63 - Math.clz32(Math.floor(n / 2 ** 32)) : 31 - Math.clz32(n))
