/** Tree, centre and details of an opened root. Below 1200 px both side columns are rails that open over the centre. */
import type { CSSProperties, ReactElement } from 'react'
import type { RootState } from '../../../shared/api'
import { Details, DetailsRail } from '../details/Details'
import { Diagnostics } from '../details/Diagnostics'
import { useSession } from '../state/session'
import { Boundary } from './Boundary'
import { Centre } from './Centre'
import { DEFAULT_LAYOUT, DETAILS, setLayout, SIDE, useLayout, useMedia, WIDE_DETAILS } from './layout'
import { Splitter } from './Splitter'
import { Side, SideRail } from './tree/Side'
import { closeOver, useUi } from './ui'

/** Below this width the open diagnostics turn the tree into its rail. */
const NARROW = '(max-width: 1367.98px)'

export function Workspace({ root, small }: { readonly root: RootState; readonly small: boolean }): ReactElement {
  const layout = useLayout()
  const ui = useUi()
  const session = useSession(s => s.session)
  const narrow = useMedia(NARROW)
  const diagnostics = ui.diagnostics && (!small || ui.over === 'details')
  const treeRail = small || (diagnostics && narrow)
  const detailsRail = small || (!ui.details && !diagnostics)
  const detailsWidth = diagnostics ? Math.max(WIDE_DETAILS, layout.details) : layout.details
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
    <Boundary name="Details" resetOn={[session, diagnostics]}>
      {diagnostics ? <Diagnostics /> : <Details />}
    </Boundary>
  )
  return (
    <div className="workspace" style={style}>
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
        <Centre root={root} />
      </main>
      <aside className="details" aria-label={diagnostics && !detailsRail ? 'Diagnostics' : 'Details'}>
        {detailsRail ? <DetailsRail /> : details}
        {!detailsRail && !diagnostics && (
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
          className={diagnostics ? 'details over right wide' : 'details over right'}
          aria-label={diagnostics ? 'Diagnostics' : 'Details of the selection'}
        >
          {details}
        </section>
      )}
    </div>
  )
}
