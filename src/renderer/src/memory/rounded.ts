/** The words of the block-rounded figures, and what is counted from them. */
import type { AllocatorInfo, BlockRoundedInfo } from '../../../shared/api'

/** Where PyTorch and the Neuron guide order allocated and active differently. */
export const DEFINITION =
  'As torch.cuda.memory_stats counts: active is allocated plus blocks whose free is pending, so active is not below allocated. The Neuron memory guide orders them the other way round'

export const CACHED_FREE = 'Reserved minus allocated, block-rounded. Blocks whose free is pending count as free here'

/** Why the curve is shown or not: half a sentence of the host, made one of the screen. */
export const roundedReason = ({ status, reason }: BlockRoundedInfo): string =>
  status === 'confirmed' || status === 'not-confirmed' ? capital(reason) : `Not shown: ${reason}`

export const roundedTitle = ({ blockRounded }: Pick<AllocatorInfo, 'blockRounded'>): string =>
  `Block sizes of what is allocated, as torch.cuda.memory_allocated() counts. ${roundedReason(blockRounded)}`

/** Reserved minus block-rounded; NaN where one of them is not known. */
export const cachedFree = (reserved: number, rounded: number | null): number => (rounded === null ? NaN : reserved - rounded)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
