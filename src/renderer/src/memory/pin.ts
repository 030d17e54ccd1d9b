/** What a click in the plot pins. */
import type { Answers } from '../../../shared/api'
import type { Hit } from '../../../paint/memory/hit'

type Smaller = Extract<Hit, { readonly kind: 'smaller' }>

/**
 * The allocation that a click on `hit` pins: the one drawn there, of "n smaller" the largest, null where nothing is drawn. `smaller` asks for the list of
 * a pixel row; the click asks by itself, as it may come before the tooltip has its answer. Rejects as `smaller` does.
 */
export async function pinTarget(hit: Hit | null, smaller: (row: Smaller) => Promise<Answers['memory.smaller']>): Promise<number | null> {
  if (hit?.kind === 'allocation') return hit.allocation
  if (hit?.kind !== 'smaller') return null
  return (await smaller(hit)).list[0]?.allocation ?? null
}
