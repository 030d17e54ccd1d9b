/** What a sheet needs of its surroundings: answers of the API contract, and a second canvas. */
import type { Answers, RequestArgs, RequestName } from '../../shared/api'
import type { CanvasFactory } from '../timeline'
import type { Context2D } from '../theme'

/** Answers a request of the contract. Rejects with words for the user. */
export type Ask = <N extends RequestName>(name: N, args: RequestArgs<N>) => Promise<Answers[N]>

export interface Surface {
  /** Any context of the kind that the sheet is painted on, to measure text with; its fonts are loaded. */
  readonly ctx: Context2D
  /** Pixels (RGBA, the top row first) as something that `drawImage` takes. */
  readonly image: (pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) => CanvasImageSource
  /** Makes the second canvas of the System Trace where there is no OffscreenCanvas. */
  readonly canvas?: CanvasFactory
}

/** A stretch of time (ns relative to the group's origin) or of event indices. */
export interface Span {
  readonly start: number
  readonly end: number
}
