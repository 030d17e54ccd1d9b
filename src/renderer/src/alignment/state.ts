/**
 * Shifting clocks: by a number, or by picking two events that belong to one instant. Picking listens to the shared selection, so that every view in which an event can be
 * chosen takes part, by mouse and by keyboard.
 */
import { create } from 'zustand'
import type { SessionView } from '../../../shared/api'
import { MAX_SHIFT_NS } from '../../../shared/clock-api'
import { fail, request, useSession, words } from '../state/session'
import { useView, type Selection } from '../state/view'
import { closeOver, notify, SMALL, useUi } from '../shell/ui'
import { baseName } from '../shell/words'
import { shiftText } from './decimal'
import { onUnixTime, wholeOf } from './words'

/** An event that was picked. */
export interface Picked {
  readonly file: string
  readonly path: string
  readonly name: string
  /** Its start by the clock of its file, ns, without the shift by hand. */
  readonly ownNs: bigint
}

export type PickState =
  | { readonly stage: 'first'; readonly file: string; readonly path: string; readonly note: string }
  | { readonly stage: 'second'; readonly first: Picked; readonly note: string }
  /** `shiftNs`: the whole shift of the first one's file; `byNs`: what that adds to the present one. */
  | { readonly stage: 'ready'; readonly first: Picked; readonly second: Picked; readonly shiftNs: bigint; readonly byNs: bigint }

export const usePick = create<{ readonly pick: PickState | null }>()(() => ({ pick: null }))
const set = (pick: PickState | null): void => usePick.setState({ pick })

// ── shifts ──

const refused = (e: unknown): void => notify({ icon: 'warn', title: 'Not shifted', detail: words(e) })

/** Sets the whole shift of a file and says so. */
export async function setShift(file: string, path: string, shiftNs: bigint): Promise<void> {
  const { session } = useSession.getState()
  if (session === null) return
  try {
    await request('alignment.shift', { session, file, shiftNs: String(shiftNs) })
    notify({
      icon: 'clock',
      title: shiftNs === 0n ? 'Shift taken away' : 'Shifted by hand',
      detail: shiftNs === 0n ? `${baseName(path)} stands as its file says.` : `${baseName(path)} by ${shiftText(shiftNs)}.`,
      action: { label: 'Undo', run: () => void undoShift() },
    })
  } catch (e) {
    refused(e)
  }
}

/** Takes the last shift of the session back and says so. */
export async function undoShift(): Promise<void> {
  const { session } = useSession.getState()
  if (session === null) return
  try {
    const { undone } = await request('alignment.undo', { session })
    notify(
      undone
        ? { icon: 'clock', title: 'Shift undone', detail: 'The last shift by hand was taken back.' }
        : { icon: 'info', title: 'Nothing to undo', detail: 'No file was shifted since the folder was opened.' },
    )
  } catch (e) {
    fail(e)
  }
}

// ── picking ──

let stop: (() => void) | null = null
/** A late answer about an event is of no use after the next click. */
let turn = 0

/** Waits for an event of this file, the one that is to move. */
export function startPick(file: string, path: string): void {
  cancelPick()
  set({ stage: 'first', file, path, note: '' })
  if (matchMedia(SMALL).matches) closeOver() // the events lie under it
  let seen = useSession.getState().view
  const off = [
    useView.subscribe((s, p) => {
      if (s.selection === p.selection || !s.selection) return
      const { view } = useSession.getState()
      // A new view moves the times of what is selected: that is no click.
      const moved = view !== seen && sameThing(s.selection, p.selection)
      seen = view
      if (!moved) void pickUp(s.selection)
    }),
    useSession.subscribe((s, p) => {
      if (s.session !== p.session) cancelPick()
    }),
  ]
  const onKey = (e: KeyboardEvent): void => {
    if (e.key !== 'Escape' || document.querySelector('dialog:modal, :popover-open')) return
    e.preventDefault()
    e.stopPropagation()
    cancelPick()
  }
  window.addEventListener('keydown', onKey, { capture: true })
  stop = () => {
    off.forEach(f => f())
    window.removeEventListener('keydown', onKey, { capture: true })
  }
}

export function cancelPick(): void {
  turn++
  stop?.()
  stop = null
  set(null)
}

/** Shifts as offered. */
export function applyPick(): void {
  const { pick } = usePick.getState()
  if (pick?.stage !== 'ready') return
  cancelPick()
  void setShift(pick.first.file, pick.first.path, pick.shiftNs)
}

const sameThing = (a: Selection, b: Selection | null): boolean =>
  b !== null &&
  a.type === b.type &&
  ((a.type === 'slice' && b.type === 'slice' && a.source === b.source && a.row === b.row) ||
    (a.type === 'allocation' && b.type === 'allocation' && a.allocator === b.allocator && a.allocation === b.allocation))

async function pickUp(selection: Selection): Promise<void> {
  const { pick } = usePick.getState()
  if (!pick || pick.stage === 'ready') return
  const mine = ++turn
  const say = (note: string): void => {
    const now = usePick.getState().pick
    if (mine === turn && now && now.stage !== 'ready') set({ ...now, note })
  }
  try {
    const { view } = useSession.getState()
    const event = view && (await eventOf(view, selection))
    if (mine !== turn || !view || !event) return
    if (typeof event === 'string') return say(event)
    if (pick.stage === 'first') {
      if (event.file !== pick.file) return say(`That is an event of ${baseName(event.path)}.`)
      return set({ stage: 'second', first: event, note: '' })
    }
    const ready = lineUp(view, pick.first, event)
    if (typeof ready === 'string') say(ready)
    else set(ready)
  } catch (e) {
    say(words(e))
  }
}

/** What would bring the first event to the start of the second; or why that cannot be. */
export function lineUp(view: Pick<SessionView, 'clocks'>, first: Picked, second: Picked): Extract<PickState, { stage: 'ready' }> | string {
  if (second.file === first.file) return 'That is an event of the same file: both move together.'
  const clocks = view.clocks ?? []
  const [a, b] = [wholeOf(clocks, first.file), wholeOf(clocks, second.file)]
  if (!a || !b) return 'One of the files is not there any more.'
  if (!onUnixTime(b)) return `${baseName(second.path)} has a clock of its own. Begin with an event of it, so that it is the one that moves.`
  const shiftNs = second.ownNs + BigInt(b.shiftNs) - first.ownNs
  if (shiftNs > MAX_SHIFT_NS || shiftNs < -MAX_SHIFT_NS) return 'They lie more than a century apart.'
  return { stage: 'ready', first, second, shiftNs, byNs: shiftNs - BigInt(a.shiftNs) }
}

/** The event of a selection; a sentence where it is none that has a start. */
async function eventOf(view: SessionView, s: Selection): Promise<Picked | string | null> {
  if (s.type === 'slice') {
    const source = view.sources.find(o => o.index === s.source)
    const clock = source && wholeOf(view.clocks ?? [], source.file)
    if (!source || !clock) return null
    const facts = await request('trace.slice', { session: view.session, source: s.source, row: s.row })
    return {
      file: source.file,
      path: source.path,
      name: facts.name || '(no name)',
      ownNs: BigInt(facts.startUnixNs) - BigInt(clock.shiftNs),
    }
  }
  if (s.type === 'allocation') {
    const allocator = view.allocators.find(o => o.id === s.allocator)
    const source = allocator && view.sources.find(o => o.index === allocator.source)
    const clock = source && wholeOf(view.clocks ?? [], source.file)
    const group = allocator && view.groups.find(g => g.id === allocator.group)
    if (!allocator || !source || !clock) return null
    if (!group) return `${baseName(source.path)} has no times.`
    const a = await request('memory.allocation', { session: view.session, allocator: s.allocator, allocation: s.allocation })
    if (a.allocTime === null) return 'This allocation was made before the recording, or has no time.'
    // Times of a snapshot are whole microseconds: nothing is lost by rounding.
    const at = group.originNs + BigInt(Math.round(a.allocTime))
    return { file: source.file, path: source.path, name: `allocation ${a.address}`, ownNs: at - BigInt(clock.shiftNs) }
  }
  return null
}

// ── the panel ──

/** Opens the panel in the details column. */
export function showAlignment(): void {
  const small = matchMedia(SMALL).matches
  useUi.setState({ alignment: true, diagnostics: false, ...(small ? { over: 'details' as const } : {}) })
}
export function hideAlignment(): void {
  cancelPick()
  useUi.setState(s => ({ alignment: false, over: s.over === 'details' ? null : s.over }))
}
export const toggleAlignment = (): void => {
  const { alignment, over } = useUi.getState()
  if (alignment && (!matchMedia(SMALL).matches || over === 'details')) hideAlignment()
  else showAlignment()
}
