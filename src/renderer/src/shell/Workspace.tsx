/** Tree, centre and details of an opened root. Below 1200 px both side columns are rails that open over the centre. */
import { useEffect, useRef, type CSSProperties, type ReactElement, type RefObject } from 'react'
import type { RootState } from '../../../shared/api'
import { Details, DetailsRail } from '../details/Details'
import { Diagnostics } from '../details/Diagnostics'
import { AlignmentPanel } from '../alignment/AlignmentPanel'
import { useSession } from '../state/session'
import { Boundary } from './Boundary'
import { Centre } from './Centre'
import { DEFAULT_LAYOUT, DETAILS, setLayout, SIDE, useLayout, useMedia, WIDE_DETAILS } from './layout'
import { Splitter } from './Splitter'
import { Side, SideRail } from './tree/Side'
import { closeOver, useUi } from './ui'

/** Below this width the open diagnostics turn the tree into its rail. */
const NARROW = '(max-width: 1367.98px)'

/** A column that opens over the centre takes the focus, and gives it back to where it was when it closes. */
function useOverFocus(over: string | null): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const back = useRef<Element | null>(null)
  useEffect(() => {
    if (over === null) {
      const lost = document.activeElement === null || document.activeElement === document.body
      if (lost && back.current instanceof HTMLElement && back.current.isConnected) back.current.focus()
      back.current = null
      return
    }
    back.current = document.activeElement
    const first = box.current?.querySelector<HTMLElement>('.over [role=tree], .over .phead button')
    first?.focus({ preventScroll: true })
  }, [over])
  return box
}

export function Workspace({ root, small }: { readonly root: RootState; readonly small: boolean }): ReactElement {
  const layout = useLayout()
  const ui = useUi()
  const session = useSession(s => s.session)
  const narrow = useMedia(NARROW)
  const box = useOverFocus(ui.over)
  const diagnostics = ui.diagnostics && (!small || ui.over === 'details')
  const alignment = ui.alignment && (!small || ui.over === 'details')
  /** What stands in place of the details, wider than they are. */
  const wide = diagnostics ? 'Diagnostics' : alignment ? 'Alignment' : null
  const treeRail = small || (wide !== null && narrow)
  const detailsRail = small || (!ui.details && wide === null)
  const detailsWidth = wide !== null ? Math.max(WIDE_DETAILS, layout.details) : layout.details
  const style = {
    '--col-side': treeRail ? 'var(--w-rail)' : `${layout.side}px`,
    '--col-details': detailsRail ? 'var(--w-rail)' : `${detailsWidth}px`,
  } as CSSProperties
  const side = (
    <Boundary name="The tree" resetOn={[root.version]}>
      <Side root={root} />
    </Boundary>
  )
  const details = (
    <Boundary name="Details" resetOn={[session, wide]}>
      {diagnostics ? <Diagnostics /> : alignment ? <AlignmentPanel /> : <Details />}
    </Boundary>
  )
  return (
    <div className="workspace" style={style} ref={box}>
      <nav className="side" aria-label="Folder">
        {treeRail ? <SideRail /> : side}
        {!treeRail && (
          <Splitter
            label="Width of the tree"
            orientation="vertical"
            className="column end"
            value={layout.side}
            {...SIDE}
            onChange={px => setLayout({ side: px })}
            onReset={() => setLayout({ side: DEFAULT_LAYOUT.side })}
          />
        )}
      </nav>
      <main className="centre" aria-label="Timeline and memory" onPointerDownCapture={() => ui.over === 'tree' && closeOver()}>
        <h1 className="vh">{root.name}</h1>
        <Centre root={root} />
      </main>
      <aside className="details" aria-label={(!detailsRail && wide) || 'Details'}>
        {detailsRail ? <DetailsRail /> : details}
        {!detailsRail && wide === null && (
          <Splitter
            label="Width of the details"
            orientation="vertical"
            className="column start"
            direction={-1}
            value={layout.details}
            {...DETAILS}
            onChange={px => setLayout({ details: px })}
            onReset={() => setLayout({ details: DEFAULT_LAYOUT.details })}
          />
        )}
      </aside>
      {treeRail && ui.over === 'tree' && (
        <nav className="side over left" aria-label="Profiles">
          {side}
        </nav>
      )}
      {small && ui.over === 'details' && (
        <section
          className={wide === null ? 'details over right' : 'details over right wide'}
          aria-label={wide ?? 'Details of the selection'}
        >
          {details}
        </section>
      )}
    </div>
  )
}
