/** Annotations: `external_annotations`, and the entries of the history that carry a text. */
import { ACTIONS, type AnnotationTable, type DeviceTrace } from '../../shared/tables'
import type { Builder } from '../pickle/builder'
import { GrowF64, GrowI32 } from '../pickle/grow'
import { NOTE } from './kinds'
import type { Value } from './lists'
import type { SnapshotShapes } from './shapes'

const ANNOTATE = ACTIONS.indexOf('annotate')
const USER_DEFINED = ACTIONS.indexOf('user_defined')

/** Smallest `time_us` of the annotations; null where none has one. */
export function smallestNote(shapes: SnapshotShapes, notes: readonly Value[]): number | null {
  let lo = Infinity
  for (const [tag, val] of notes)
    if (shapes.itemKind(tag, val) === NOTE) lo = least(lo, shapes.notes.timeUs.a[shapes.store.objA[val] as number] as number)
  return Number.isFinite(lo) ? lo : null
}

const least = (a: number, b: number): number => (b < a ? b : a)

export function annotationTable(
  m: Builder,
  shapes: SnapshotShapes,
  notes: readonly Value[],
  devices: readonly DeviceTrace[],
  epochUs: number,
  stackStart: Uint32Array,
  stackFrames: Uint32Array,
): AnnotationTable {
  const text = new GrowI32(64)
  const stage = new GrowI32(64)
  const device = new GrowI32(64)
  const time = new GrowF64(64)
  const epoch = Math.trunc(epochUs)
  for (const [tag, val] of notes) {
    const known = shapes.itemKind(tag, val) === NOTE ? (m.store.objA[val] as number) : -1
    text.push(known >= 0 ? (shapes.notes.text.a[known] as number) : m.store.strings.internText(shapes.texts.value(tag, val)))
    stage.push(known >= 0 ? (shapes.notes.stage.a[known] as number) : -1)
    device.push(known >= 0 ? (shapes.notes.device.a[known] as number) : -1)
    time.push(known >= 0 ? ((shapes.notes.timeUs.a[known] as number) - epoch) * 1000 : NaN)
  }
  const startEnd = [m.store.strings.internText('START'), m.store.strings.internText('END')]
  for (const d of devices)
    for (let i = 0; i < d.count; i++) {
      const action = d.action[i]
      if (action !== ANNOTATE && action !== USER_DEFINED) continue
      const word = m.store.strings.internText(ACTIONS[action] as string)
      const stack = d.stack[i] as number
      if (action === ANNOTATE) {
        text.push(d.userMetadata[i] as number)
        stage.push(word)
      } else {
        // The range's name stands where a frame has its file, START or END where it has its function.
        const frame = stack >= 0 ? (stackFrames[stackStart[stack] as number] as number) : -1
        const name = frame >= 0 ? (shapes.lists.frames.name.a[frame] as number) : -1
        text.push(frame >= 0 ? (shapes.lists.frames.file.a[frame] as number) : -1)
        stage.push(startEnd.includes(name) ? name : word)
      }
      device.push(d.device)
      time.push(d.time[i] as number)
    }
  return { count: text.n, text: text.take(), stage: stage.take(), device: device.take(), time: time.take() }
}
