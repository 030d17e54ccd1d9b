/** System Trace above Memory Viewer with a splitter; or, while there is nothing to show, why. */
import { useRef, type CSSProperties, type ReactElement } from 'react'
import type { RootState } from '../../../shared/api'
import { openFolder } from '../commands/open'
import { Drawer } from '../drawer/Drawer'
import { MemoryPanel } from '../memory/MemoryPanel'
import { openSession, useSession } from '../state/session'
import { TracePanel } from '../trace/TracePanel'
import { newestSession } from '../state/choose'
import { Boundary } from './Boundary'
import { Icon } from './icons'
import { DEFAULT_LAYOUT, PANEL_MIN, setLayout, SPLITTER, useHeight, useLayout } from './layout'
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

function Panels({ session }: { readonly session: string }): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const height = useHeight(box)
  const split = useLayout(s => s.split)
  const free = Math.max(1, height - SPLITTER)
  const max = Math.max(PANEL_MIN, free - PANEL_MIN)
  const value = Math.min(Math.max(split * free, PANEL_MIN), max)
  const enter = (panel: 'trace' | 'memory') => ({
    onPointerEnter: () => useUi.setState({ panel }),
    onFocus: () => useUi.setState({ panel }),
  })
  return (
    <>
      <div className="panels" ref={box} style={{ '--split': `${split}fr`, '--rest': `${1 - split}fr` } as CSSProperties}>
        <div className="slot" data-panel="trace" {...enter('trace')}>
          <Boundary name="System Trace" resetOn={[session]}>
            <TracePanel />
          </Boundary>
        </div>
        <Splitter
          label="Height of the System Trace"
          orientation="horizontal"
          value={value}
          min={PANEL_MIN}
          max={max}
          onChange={px => setLayout({ split: px / free })}
          onReset={() => setLayout({ split: DEFAULT_LAYOUT.split })}
        />
        <div className="slot" data-panel="memory" {...enter('memory')}>
          <Boundary name="Memory Viewer" resetOn={[session]}>
            <MemoryPanel />
          </Boundary>
        </div>
      </div>
      <Drawer />
    </>
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
