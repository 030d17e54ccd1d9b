/** What the allocator timeline is painted from. Plain data, so that screen, exported picture and tests paint the same. */
import type { AllocatorInfo, Axis, MemoryPicture } from '../../shared/api'
import type { StepSpan } from '../axis'
import type { Band } from '../bands'
import type { Geometry } from '../geometry'
import type { NoteMark } from '../timeline/notes'
import type { ByteScale } from './scale'

export interface MemoryOptions {
  readonly reserved: boolean
  readonly allocated: boolean
  /** The block-rounded curve, where it is known; absent for off. */
  readonly rounded?: boolean
  readonly startState: boolean
  readonly peak: boolean
  /** Only this owner group is in full colour; absent or null for all. */
  readonly only?: number | null
}

export interface MemoryScene {
  /** Window and horizontal layout; ns of the group's frame, or event indices. */
  readonly geometry: Geometry
  /** The plot box in CSS px; the lower axis follows below it. */
  readonly scale: ByteScale
  readonly axis: Axis
  readonly allocator: AllocatorInfo
  /** The newest picture, null before the first one; and the window it was made for (drawn stretched while the next one is on its way). */
  readonly picture: MemoryPicture | null
  readonly pictureWindow: { readonly start: number; readonly end: number }
  /** Pixels of the picture (see `rasterMemory`) as something that `drawImage` takes. */
  readonly image: CanvasImageSource | null
  readonly options: MemoryOptions
  /** Step bands behind the plot (time axis). */
  readonly steps: readonly StepSpan[]
  /** Annotations, with their names at the top; absent: none. */
  readonly annotations?: readonly Band[]
  /** Marks and notes; absent: none. */
  readonly notes?: readonly NoteMark[]
  readonly cursor: number | null
  /** Active requested bytes at the position they were asked for: the dot stands there, so that position and value always belong together. */
  readonly value: { readonly at: number; readonly bytes: number } | null
  /** Whether the value is written beside the dot (not under a tooltip). */
  readonly valueFlag: boolean
  readonly hovered: number | null
  readonly pinned: number | null
  /** Life of the pinned allocation on this axis; null ends are before or after the recording. */
  readonly lifetime: { readonly from: number | null; readonly to: number | null } | null
  /** Selected range on this axis. */
  readonly range: { readonly start: number; readonly end: number } | null
  /** The gutter and the lower axis carry no cursor flag in an exported picture. */
  readonly flags: boolean
}
