/** The canvases of the System Trace and what listens to them. React renders it once; the controller paints. */
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactElement } from 'react'
import { timeMs } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { useView } from '../state/view'
import { useSession } from '../state/session'
import { useAnnotations } from '../bands/annotations'
import { useBands } from '../bands/state'
import { useAllocation } from '../memory/useAllocation'
import { useNoteMarks } from '../notes/useNoteMarks'
import { useTheme } from '../theme'
import { TraceController, type Status, type Tip } from './controller'
import { pinMarks, type TraceInput } from './input'
import { setCurrent } from './current'
import { onKey, onRangeKey } from './keyboard'
import { NavigatorSlider } from './NavigatorSlider'
import { bindPointer } from './pointer'
import { openRowMenu, setRowMenu } from './rowMenu'
import { RowButtons, type RowPlace } from './RowButtons'
import { TrackMenu, type MenuPlace } from './TrackMenu'
import { TraceTip } from './Tip'

export function Surface({ input, onToggle }: { readonly input: TraceInput; readonly onToggle: (group: string) => void }): ReactElement {
  const root = useRef<HTMLDivElement>(null)
  const still = useRef<HTMLCanvasElement>(null)
  const over = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const controller = useRef<TraceController | null>(null)
  const notes = useNoteMarks(input.group.id)
  const bands = useBands(s => s.on)
  const annotations = useAnnotations(s => s.bands)
  const latest = useRef({ input, onToggle, notes, bands, annotations })
  const [tip, setTip] = useState<Tip | null>(null)
  const [over_, setOver] = useState<RowPlace | null>(null)
  const [menu, setMenu] = useState<MenuPlace | null>(null)
  const [status, setStatus] = useState<Status>({ error: null })
  const [top, setTop] = useState(0)
  const theme = useTheme()
  const first = useRef(theme)
  const label = useView(s => `System Trace, ${timeMs(s.window.start, 0)} to ${timeMs(s.window.end, 0)}`)

  useEffect(() => {
    latest.current = { ...latest.current, input, onToggle }
    controller.current?.setInput(input)
    setTop(controller.current?.sections.rows ?? 0)
  }, [input, onToggle])
  const pinned = useView(s => s.pinned)
  const { details } = useAllocation(pinned?.allocator ?? null, pinned?.allocation ?? null)
  const allocators = useSession(s => s.view?.allocators)
  useEffect(() => {
    // An allocation of another time range has no place on this axis.
    const here = allocators?.find(a => a.id === pinned?.allocator)?.group === input.group.id
    controller.current?.setPins(here && details ? pinMarks(details, input.tracks) : [])
  }, [pinned, details, allocators, input])
  useEffect(() => {
    latest.current = { ...latest.current, notes, bands, annotations }
    controller.current?.setNotes(notes)
    controller.current?.setBands(bands, annotations)
    setTop(controller.current?.sections.rows ?? 0)
  }, [notes, bands, annotations])
  useEffect(() => {
    first.current = theme
    controller.current?.setTheme(theme)
  }, [theme])

  useEffect(() => {
    const [box, a, b, rows] = [root.current, still.current, over.current, scroller.current]
    if (!box || !a || !b || !rows) return
    const c = new TraceController(a, b, rows, first.current)
    controller.current = c
    setCurrent(c)
    c.onTip = setTip
    c.onStatus = setStatus
    c.onRow = setOver
    setRowMenu((row, x, y) => setMenu({ row, x, y }))
    c.setInput(latest.current.input)
    c.setNotes(latest.current.notes)
    c.setBands(latest.current.bands, latest.current.annotations)
    const size = (): void => {
      c.resize(box.clientWidth, box.clientHeight)
      setTop(c.sections.rows)
    }
    const observer = new ResizeObserver(size)
    observer.observe(box)
    // The pixel ratio changes with the zoom of the page or when the window moves to another screen, without a change of the box.
    let media = matchMedia(`(resolution: ${devicePixelRatio}dppx)`)
    const onRatio = (): void => {
      media = matchMedia(`(resolution: ${devicePixelRatio}dppx)`)
      media.addEventListener('change', onRatio, { once: true })
      size()
    }
    media.addEventListener('change', onRatio, { once: true })
    const unbind = bindPointer(box, c, key => latest.current.onToggle(key))
    return () => {
      media.removeEventListener('change', onRatio)
      observer.disconnect()
      unbind()
      c.close()
      controller.current = null
      setCurrent(null)
      setRowMenu(null)
    }
  }, [])

  const onKeyDown = (e: KeyboardEvent): void => {
    const c = controller.current
    if (!c || e.ctrlKey || e.metaKey || e.altKey) return
    if (!(e.shiftKey ? onRangeKey(c, e.key) : onKey(c, e.key, onToggle))) return
    e.preventDefault()
    // Who steers by keys sees where they act, also after a click has brought the focus here.
    c.setFocused(true)
  }

  const onContextMenu = (e: MouseEvent): void => {
    const c = controller.current
    const box = root.current?.getBoundingClientRect()
    if (!c || !box) return
    // The menu key has opened it already; its event names no place of the pointer.
    if (menu) return e.preventDefault()
    const [x, y] = [e.clientX - box.left, e.clientY - box.top]
    const hit = c.hit(x, y)
    if (x >= c.geometry.gutter || (hit?.type !== 'group' && hit?.type !== 'label') || hit.row.type === 'note') return
    e.preventDefault()
    c.leave()
    c.focusTo(hit.row, null)
    openRowMenu(hit.row, e.clientX, e.clientY)
  }

  return (
    <div className="trace-plot" ref={root} onContextMenu={onContextMenu}>
      <canvas ref={still} aria-hidden="true" />
      <canvas ref={over} aria-hidden="true" />
      <NavigatorSlider />
      <div
        className="trace-rows"
        ref={scroller}
        style={{ top }}
        role="application"
        aria-label={label}
        aria-roledescription="timeline"
        aria-keyshortcuts="ArrowUp ArrowDown ArrowLeft ArrowRight Enter Shift+ArrowLeft Shift+ArrowRight"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={e => controller.current?.setFocused(e.currentTarget.matches(':focus-visible'))}
        onBlur={() => controller.current?.setFocused(false)}
      >
        <div style={{ height: input.rows.height }} />
      </div>
      {status.error !== null && (
        <div className="trace-error" role="status">
          <Icon name="warn" size={14} />
          <span>The tracks could not be read: {status.error}. Trying again.</span>
        </div>
      )}
      {over_ && !menu && <RowButtons place={over_} onMenu={openRowMenu} />}
      {menu && (
        <TrackMenu
          place={menu}
          rows={input.rows}
          onClose={() => {
            setMenu(null)
            scroller.current?.focus({ preventScroll: true })
          }}
        />
      )}
      {tip && <TraceTip tip={tip} input={input} />}
    </div>
  )
}
