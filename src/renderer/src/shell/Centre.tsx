/** System Trace above Memory Viewer with a splitter; or, while there is nothing to show, why. */
import { useRef, type CSSProperties, type ReactElement } from 'react'
import type { RootState } from '../../../shared/api'
import { openFolder } from '../commands/open'
import { Drawer } from '../drawer/Drawer'
import { drawerHeight, drawerMax, useDrawer } from '../drawer/state'
import { MemoryPanel } from '../memory/MemoryPanel'
import { openSession, useSession } from '../state/session'
import { TracePanel } from '../trace/TracePanel'
import { newestSession } from '../state/choose'
import { Boundary } from './Boundary'
import { Icon } from './icons'
import { DEFAULT_LAYOUT, HEAD, setLayout, sharePanels, SPLITTER, useHeight, useLayout, WITH_TABLES } from './layout'
import { Splitter } from './Splitter'
import { useUi } from './ui'
import { sessionName } from './words'

export function Centre({ root }: { readonly root: RootState }): ReactElement {
  const session = useSession(s => s.session)
  const ready = useSession(s => s.view !== null)
  if (!session) return <Waiting root={root} />
  if (!ready) return <div className="fill" aria-busy="true" />
  return <Panels session={session} />
}

/** What the tables leave at least: the tracks, the head of the Memory Viewer, and their own splitter. */
const ABOVE_TABLES = WITH_TABLES.trace + HEAD + SPLITTER

function Panels({ session }: { readonly session: string }): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const height = useHeight(box)
  const split = useLayout(s => s.split)
  const tables = useDrawer(s => s.tab !== null)
  const kept = useDrawer(s => s.height)
  const empty = useSession(s => (s.view?.allocators.length ?? 0) === 0 && (s.view?.hbm?.length ?? 0) === 0)
  const drawer = drawerHeight(kept, height, ABOVE_TABLES)
  const above = tables ? height - SPLITTER - drawer : height
  const { folded, trace, min, max } = sharePanels(above, split, { tables: tables && height > 0, empty })
  const enter = (panel: 'trace' | 'memory') => ({
    onPointerEnter: () => useUi.setState({ panel }),
    onFocus: () => useUi.setState({ panel }),
  })
  return (
    <div className="centre-stack" ref={box}>
      <div
        className={folded ? 'panels folded' : 'panels'}
        style={{ '--split': `${split}fr`, '--rest': `${1 - split}fr`, '--least': `${min}px` } as CSSProperties}
      >
        <div className="slot" data-panel="trace" {...enter('trace')}>
          <Boundary name="System Trace" resetOn={[session]}>
            <TracePanel />
          </Boundary>
        </div>
        {!folded && (
          <Splitter
            label="Height of the System Trace"
            orientation="horizontal"
            value={trace}
            min={min}
            max={max}
            onChange={px => setLayout({ split: px / Math.max(1, above - SPLITTER) })}
            onReset={() => setLayout({ split: DEFAULT_LAYOUT.split })}
          />
        )}
        <div className="slot" data-panel="memory" {...enter('memory')}>
          <Boundary name="Memory Viewer" resetOn={[session]}>
            <MemoryPanel folded={folded} />
          </Boundary>
        </div>
      </div>
      <Drawer height={drawer} max={drawerMax(height, ABOVE_TABLES)} />
    </div>
  )
}

/** No session is shown: none is there yet, or the one that was shown is gone. */
function Waiting({ root }: { readonly root: RootState }): ReactElement {
  const newest = newestSession(root.catalog.sessions)
  if (root.scanning)
    return (
      <div className="fill" role="status">
        <Icon name="pulse" />
        <h2>Looking through {root.name}</h2>
        <p>Sessions appear on the left as they are found.</p>
      </div>
    )
  if (newest)
    return (
      <div className="fill">
        <Icon name="frames" />
        <h2>No session is shown</h2>
        <p>The session that was open is gone, or none was chosen. Choose one on the left.</p>
        <div className="acts">
          <button className="btn" onClick={() => void openSession(newest.id)}>
            Show {sessionName(newest, root.name)}
          </button>
        </div>
      </div>
    )
  return (
    <div className="fill" role="status">
      <Icon name="pulse" />
      <h2>{root.watching ? 'Waiting for the first session' : 'No session in this folder'}</h2>
      <p>
        {root.watching
          ? `${root.name} holds no profile yet and is watched. Start training; files appear here within a second.`
          : `${root.name} holds no file of a known kind${root.watchNotice ? `, and it is not watched: ${root.watchNotice}` : '.'}`}
      </p>
      <div className="acts">
        <button className="btn" onClick={() => void openFolder()}>
          <Icon name="folder" size={12} />
          Open another folder
        </button>
      </div>
    </div>
  )
}
