/** The window: top bar, three columns, status bar, and what floats above them. */
import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react'
import { closeDialog, SMALL, useUi } from './ui'
import { useSession } from '../state/session'
import { useLive } from '../state/live'
import { useSpoken } from '../state/spoken'
import { reconnect } from '../bridge'
import { GoTo } from '../goto/GoTo'
import { NoteDialog } from '../notes/NoteDialog'
import { Palette } from '../palette/Palette'
import { SchemasDialog } from '../schema/SchemasDialog'
import { Boundary } from './Boundary'
import { ADD_NEFFS, BrowseDialog, IMPORT_SCHEMA, OPEN } from './BrowseDialog'
import { Help } from './Help'
import { Icon, Logo } from './icons'
import { useLayout, useMedia } from './layout'
import { Notices } from './Notices'
import { Status } from './Status'
import { TopBar } from './TopBar'
import { Welcome } from './Welcome'
import { Workspace } from './Workspace'
import './shell.css'

const ExportDialog = lazy(() => import('../export/ExportDialog').then(m => ({ default: m.ExportDialog })))

export function App(): ReactElement {
  const dialog = useUi(s => s.dialog)
  const open = useSession(s => s.root !== null)
  const side = useLayout(s => s.side)
  const small = useMedia(SMALL)
  return (
    <div className={small ? 'app rails' : 'app'} style={{ '--side': `${side}px` } as React.CSSProperties}>
      <TopBar bare={!open} small={small} />
      <Boundary name="The window">
        <Middle small={small} />
      </Boundary>
      <Status small={small} />
      <Notices />
      <DropHint />
      <LiveRegion />
      <SelectionRegion />
      {dialog === 'help' && <Help onClose={closeDialog} />}
      {dialog === 'palette' && <Palette onClose={closeDialog} />}
      {dialog === 'note' && <NoteDialog onClose={closeDialog} />}
      {dialog === 'go-to' && <GoTo onClose={closeDialog} />}
      {dialog === 'browse' && <BrowseDialog purpose={OPEN} onClose={closeDialog} />}
      {dialog === 'browse-neff' && <BrowseDialog purpose={ADD_NEFFS} onClose={closeDialog} />}
      {dialog === 'browse-schema' && <BrowseDialog purpose={IMPORT_SCHEMA} onClose={closeDialog} />}
      {dialog === 'schemas' && <SchemasDialog onClose={closeDialog} />}
      {dialog === 'export' && (
        <Boundary name="Export">
          <Suspense fallback={null}>
            <ExportDialog onClose={closeDialog} />
          </Suspense>
        </Boundary>
      )}
    </div>
  )
}

function Middle({ small }: { readonly small: boolean }): ReactElement {
  const connection = useSession(s => s.connection)
  const known = useSession(s => s.rootKnown)
  const root = useSession(s => s.root)
  if (connection.kind === 'refused')
    return (
      <Message icon="error" title="Not connected">
        <p className="selectable">{connection.reason}</p>
      </Message>
    )
  if (!known)
    return connection.kind === 'lost' ? (
      <Message icon="warn" title="Not connected">
        <p className="selectable">{connection.reason}</p>
        <div className="acts">
          <button className="btn" onClick={reconnect}>
            Try now
          </button>
        </div>
      </Message>
    ) : (
      <main className="centre" aria-busy="true" aria-label="Starting" />
    )
  return (
    <div className="middle">
      {connection.kind !== 'open' && <Lost />}
      {root ? <Workspace root={root} small={small} /> : <Welcome />}
    </div>
  )
}

/** The screen stays as it was; nothing on it can be asked anew until the host is back. */
function Lost(): ReactElement {
  return (
    <div className="strip" role="status">
      <Icon name="warn" size={14} />
      The connection to the host was lost. What is shown may be out of date.
      <span className="sp" />
      <button className="btn quiet" onClick={reconnect}>
        Connect now
      </button>
    </div>
  )
}

function Message({
  icon,
  title,
  children,
}: {
  readonly icon: 'warn' | 'error'
  readonly title: string
  readonly children: React.ReactNode
}): ReactElement {
  return (
    <main className="centre welcome" aria-label={title}>
      <div className="fill message">
        <Logo size={34} />
        <h1>
          <Icon name={icon} className={icon === 'error' ? 'err' : 'warn'} /> {title}
        </h1>
        {children}
      </div>
    </main>
  )
}

function DropHint(): ReactElement | null {
  const dropping = useUi(s => s.dropping)
  if (!dropping) return null
  return (
    <div className="drophint" aria-hidden="true">
      <div>
        <Icon name="folder" size={20} />
        Drop to open
      </div>
    </div>
  )
}

/** Says what lies under the cursor once it has rested, so that a moving pointer does not flood a screen reader. */
function LiveRegion(): ReactElement {
  const text = useLive(s => s.text)
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), 400)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="vh" role="status" aria-live="polite" data-testid="live">
      {said}
    </div>
  )
}

/** Says what was selected, apart from the cursor, which goes on moving. */
function SelectionRegion(): ReactElement {
  const text = useSpoken(s => s.text)
  return (
    <div className="vh" role="status" aria-live="polite" data-testid="spoken">
      {text}
    </div>
  )
}
