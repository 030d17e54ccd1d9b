/** What the chart of an HBM is painted from. Plain data, so that screen, exported picture and tests paint the same. */
import type { HbmInfo, HbmPicture } from '../../shared/hbm-api'
import type { StepSpan } from '../axis'
import type { Band } from '../bands'
import type { Geometry } from '../geometry'
import type { NoteMark } from '../timeline/notes'
import type { ByteScale } from '../memory/scale'

export interface HbmOptions {
  readonly capacity: boolean
  readonly peak: boolean
  /** PyTorch's reserved bytes as a line. */
  readonly reserved: boolean
  readonly ooms: boolean
}

export interface HbmScene {
  /** Window and horizontal layout; ns of the group's frame. */
  readonly geometry: Geometry
  /** The plot box in CSS px; the lower axis follows below it. */
  readonly scale: ByteScale
  readonly info: HbmInfo
  /** The newest picture, null before the first one; and the window it was made for (drawn stretched while the next one is on its way). */
  readonly picture: HbmPicture | null
  readonly pictureWindow: { readonly start: number; readonly end: number }
  /** Pixels of the picture at this scale (see `rasterHbm`) as something that `drawImage` takes. */
  readonly image: CanvasImageSource | null
  readonly options: HbmOptions
  readonly steps: readonly StepSpan[]
  /** Annotations, with their names at the top; absent: none. */
  readonly annotations?: readonly Band[]
  /** Marks and notes; absent: none. */
  readonly notes?: readonly NoteMark[]
  readonly cursor: number | null
  /** Total at the position it was asked for: the dot stands there, so that position and value always belong together. */
  readonly value: { readonly at: number; readonly bytes: number } | null
  /** Whether the value is written beside the dot (not under a tooltip). */
  readonly valueFlag: boolean
  /** Life of the pinned allocation; null ends are before or after the recording. */
  readonly lifetime: { readonly from: number | null; readonly to: number | null } | null
  readonly range: { readonly start: number; readonly end: number } | null
  /** The lower axis carries no cursor flag in an exported picture. */
  readonly flags: boolean
}
