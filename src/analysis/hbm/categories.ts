/**
 * Usage categories of device memory. Two vocabularies name them: Neuron Explorer's tables and lanes (SystemProfileHbmUsage: `dma_rings_io`) and the runtime's
 * own memory table of its logs and out-of-memory messages (`DMA Rings IO`, `Model Code`). Names here are Explorer's; every other spelling is mapped to them.
 *
 * Sources: the columns of SystemProfileHbmUsage; `neuron-runtime/explore/device-memory.rst` for the table; the runtime's usage types are 0-based in the order of
 * USAGE_TYPES (seen in the memory usage of device profiles; third-party notes on the runtime give the same numbers for nine of them). Which category belongs to which row
 * of the runtime's table is our reading of both documents, nowhere stated.
 */

/** Usage types in the runtime's order; the index is the number. XT CC has no column in Explorer's table. */
export const USAGE_TYPES = [
  'generic',
  'tensor_instructions',
  'scalar_instructions',
  'gpsimd_instructions',
  'io',
  'dram_spill',
  'weights',
  'profiler_buffers',
  'scalar_table',
  'vector_instructions',
  'sync_instructions',
  'shared_scratchpad',
  'tensors',
  'ucode_lib',
  'gpsimd_stdio',
  'collectives',
  'scratchpad',
  'xt_cc',
  'dma_rings_runtime',
  'dma_rings_spill',
  'dma_rings_io',
  'dma_rings_collectives',
] as const

/** A group of categories. */
export interface Grouped {
  readonly label: string
  readonly color: string
}

/** Families, bottom of a stack first. */
export const FAMILIES = [
  { label: 'Weights', color: 'weights' },
  { label: 'Instructions', color: 'tensor-instructions' },
  { label: 'DMA rings', color: 'dma-rings-io' },
  { label: 'Collectives', color: 'collectives' },
  { label: 'Profiler', color: 'profiler-buffers' },
  { label: 'Generic', color: 'generic' },
  { label: 'Scratchpad', color: 'shared-scratchpad' },
  { label: 'Tensors', color: 'tensors' },
] as const satisfies readonly Grouped[]
export type Family = (typeof FAMILIES)[number]['label']

/** Rows of the runtime's own memory table, bottom of a stack first; the last is for what it has no row. */
export const RUNTIME_ROWS = [
  { label: 'Model Constants', color: 'weights' },
  { label: 'Model Code', color: 'tensor-instructions' },
  { label: 'DMA Rings Runtime', color: 'dma-rings-runtime' },
  { label: 'DMA Rings Spill', color: 'dma-rings-spill' },
  { label: 'DMA Rings IO', color: 'dma-rings-io' },
  { label: 'DMA Rings Collectives', color: 'dma-rings-collectives' },
  { label: 'Collectives', color: 'collectives' },
  { label: 'Collectives XT CC', color: 'xt-cc' },
  { label: 'Profiler Buffers', color: 'profiler-buffers' },
  { label: 'Runtime', color: 'generic' },
  { label: 'Scratchpad', color: 'scratchpad' },
  { label: 'Shared Scratchpad', color: 'shared-scratchpad' },
  { label: 'Tensors', color: 'tensors' },
  { label: 'no row of the table', color: 'unknown' },
] as const satisfies readonly Grouped[]
export type RuntimeRow = (typeof RUNTIME_ROWS)[number]['label']
const NO_ROW: RuntimeRow = 'no row of the table'

/** A category in the order of a stack: family by family, bottom first. */
interface Known {
  readonly name: string
  readonly color: string
  readonly family: Family
  readonly row: RuntimeRow
}

const known = (name: string, family: Family, row: RuntimeRow, color = name.replaceAll('_', '-')): Known => ({ name, color, family, row })

const KNOWN: readonly Known[] = [
  known('weights', 'Weights', 'Model Constants'),
  known('tensor_instructions', 'Instructions', 'Model Code'),
  known('scalar_instructions', 'Instructions', 'Model Code'),
  known('vector_instructions', 'Instructions', 'Model Code'),
  known('sync_instructions', 'Instructions', 'Model Code'),
  known('gpsimd_instructions', 'Instructions', 'Model Code'),
  known('ucode_lib', 'Instructions', 'Model Code'),
  known('scalar_table', 'Instructions', 'Model Code'),
  // Only as the runtime's table and the driver put several categories into one.
  known('model_code', 'Instructions', 'Model Code', 'tensor-instructions'),
  known('dma_rings_io', 'DMA rings', 'DMA Rings IO'),
  known('dma_rings_spill', 'DMA rings', 'DMA Rings Spill'),
  known('dma_rings_collectives', 'DMA rings', 'DMA Rings Collectives'),
  known('dma_rings_runtime', 'DMA rings', 'DMA Rings Runtime'),
  known('dma_rings', 'DMA rings', NO_ROW, 'dma-rings-io'),
  known('collectives', 'Collectives', 'Collectives'),
  known('xt_cc', 'Collectives', 'Collectives XT CC'),
  known('profiler_buffers', 'Profiler', 'Profiler Buffers'),
  known('generic', 'Generic', 'Runtime'),
  known('gpsimd_stdio', 'Generic', 'Runtime'),
  known('runtime', 'Generic', 'Runtime', 'generic'),
  known('unknown', 'Generic', NO_ROW),
  known('shared_scratchpad', 'Scratchpad', 'Shared Scratchpad'),
  known('scratchpad', 'Scratchpad', 'Scratchpad'),
  known('dram_spill', 'Scratchpad', 'Runtime'),
  known('tensors', 'Tensors', 'Tensors'),
  known('io', 'Tensors', 'Tensors'),
]
const BY_NAME = new Map(KNOWN.map((k, order) => [k.name, { ...k, order }]))

/** Other spellings, after `plain`. */
const ALIASES: Readonly<Record<string, string>> = {
  '': 'unknown',
  invalid: 'unknown',
  none: 'unknown',
  tensor: 'tensors',
  weight: 'weights',
  constants: 'weights',
  model_constants: 'weights',
  code: 'model_code',
  act_table: 'scalar_table',
  ucode: 'ucode_lib',
  ucode_library: 'ucode_lib',
  pool_stdio: 'gpsimd_stdio',
  non_shared_scratchpad: 'scratchpad',
  nonshared_scratchpad: 'scratchpad',
  scratchpad_nonshared: 'scratchpad',
  scratchpad_non_shared: 'scratchpad',
  scratchpad_not_shared: 'scratchpad',
  scratchpad_shared: 'shared_scratchpad',
  contiguous_scratchpad: 'shared_scratchpad',
  notification: 'profiler_buffers',
  notifications: 'profiler_buffers',
  profile_buffers: 'profiler_buffers',
  xtcc: 'xt_cc',
  xt_cc_unused: 'xt_cc',
  collectives_xt_cc: 'xt_cc',
  collectives_xtcc: 'xt_cc',
  misc: 'generic',
  ncdev: 'generic',
}

/** What a text or number of a file says about a category. */
export interface Category extends Known {
  /** Place in a stack: known ones first by family, others above the last of their family. */
  readonly order: number
  /** The file has a number; the name comes from the order of USAGE_TYPES. */
  readonly inferredName: boolean
}

const plain = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')

/**
 * Category of a usage type as a file has it: a name in any spelling, or a number. A number beyond the known ones is `usage type N`; a text that nobody knows stays as it is,
 * among what is generic.
 */
export function categoryOf(text: string): Category {
  const trimmed = text.trim()
  if (/^\d{1,9}$/.test(trimmed)) {
    const name = USAGE_TYPES[Number(trimmed)]
    return name === undefined ? other(`usage type ${Number(trimmed)}`) : { ...found(name), inferredName: true }
  }
  const canonical = canonicalOf(trimmed) ?? canonicalOf(trimmed.replace(/([a-z0-9])([A-Z])/g, '$1_$2'))
  return canonical === null ? other(trimmed.slice(0, 80)) : found(canonical)
}

/** Name of a known category in any spelling; null for others. */
function canonicalOf(text: string): string | null {
  const name = plain(text).replace(/_bytes$/, '')
  const enumName = /^(?:nrt_)?dma_mem_usage_type_(.+)$/.exec(name)?.[1] ?? /^(?:neuron_memalloc_type_)?(.+)_device$/.exec(name)?.[1]
  // The enums of runtime and driver call the shared one plainly scratchpad.
  if (enumName === 'scratchpad') return 'shared_scratchpad'
  const short = (enumName ?? name).replace(/^(mem_)?usage_(type_)?/, '').replace(/^dma_ring_/, 'dma_rings_')
  const plural = short.replace(/_instruction$/, '_instructions').replace(/_buffer$/, '_buffers')
  const canonical = Object.hasOwn(ALIASES, plural) ? ALIASES[plural] : plural
  return BY_NAME.has(canonical) ? canonical : null
}

const found = (name: string): Category => ({ ...(BY_NAME.get(name) as Known & { readonly order: number }), inferredName: false })

const other = (name: string): Category => ({
  name,
  color: 'unknown',
  family: 'Generic',
  row: NO_ROW,
  order: (BY_NAME.get('unknown') as { readonly order: number }).order + 0.5,
  inferredName: false,
})

export const familyIndex = (c: Pick<Category, 'family'>): number => FAMILIES.findIndex(f => f.label === c.family)
export const rowIndex = (c: Pick<Category, 'row'>): number => RUNTIME_ROWS.findIndex(r => r.label === c.row)

/** Order of a stack, bottom first. Families follow each other as in FAMILIES. */
export const compareCategories = (a: Category, b: Category): number =>
  familyIndex(a) - familyIndex(b) || a.order - b.order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
