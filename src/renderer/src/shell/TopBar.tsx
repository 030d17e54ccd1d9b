/** Where am I (folder, rank, session), which range is visible, and what is needed from anywhere: export, theme, keys. */
import { useState, type ReactElement } from 'react'
import type { RecentEntry, SessionView } from '../../../shared/api'
import { keyCaps } from '../commands/keys'
import { closeRoot, openFile, openFolder, openRecent, openSample } from '../commands/open'
import { command, runCommand } from '../commands/registry'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'
import { useTheme, useThemeChoice } from '../theme'
import { switchGroup } from './follow'
import { Icon, Logo } from './icons'
import { Menu, type MenuItem } from './Menu'
import { rangeText, ranksText, sessionName } from './words'

const caps = (id: string): string => {
  const c = command(id)
  return c ? keyCaps(c).join(' ') : ''
}

export function TopBar({ bare, small }: { readonly bare: boolean; readonly small: boolean }): ReactElement {
  return (
    <header className="topbar" aria-label="Session">
      <div className="brand">
        <Logo size={18} />
        <span>Neuron Workbench</span>
      </div>
      {!bare && <Place small={small} />}
      <span className="sp" />
      {!bare && <Range small={small} />}
      <span className="sp" />
      <PaletteButton small={small} />
      {!bare && <ExportButton small={small} />}
      <ThemeButton />
      <button className="btn icon" aria-label="Keys" title="Keys (?)" onClick={() => runCommand('show-keys')}>
        <Icon name="keys" />
      </button>
    </header>
  )
}

function Place({ small }: { readonly small: boolean }): ReactElement | null {
  const root = useSession(s => s.root)
  const session = useSession(s => s.session)
  const [recent, setRecent] = useState<readonly RecentEntry[]>([])
  if (!root) return null
  const shown = root.catalog.sessions.find(s => s.id === session)
  const items: MenuItem[] = [
    {
      key: 'folder',
      label: 'Open folder…',
      icon: <Icon name="folder" size={14} />,
      hint: caps('open-folder'),
      run: () => void openFolder(),
    },
    { key: 'file', label: 'Open file…', icon: <Icon name="file" size={14} />, hint: caps('open-file'), run: () => void openFile() },
    { key: 'sample', label: 'Sample profile', icon: <Icon name="play" size={14} />, run: () => void openSample() },
    {
      key: 'schema',
      label: 'Import trace schema…',
      icon: <Icon name="tag" size={14} />,
      line: true,
      run: () => runCommand('schema-import'),
    },
    { key: 'schemas', label: 'Trace schemas', icon: <Icon name="table" size={14} />, run: () => runCommand('schemas') },
    ...recent
      .filter(r => r.path !== root.catalog.root)
      .slice(0, 6)
      .map((r, i) => ({
        key: r.id,
        label: r.label,
        icon: <Icon name="clock" size={14} />,
        ...(i === 0 ? { line: true, heading: 'Recent' } : {}),
        run: () => void openRecent(r.id),
      })),
    { key: 'close', label: 'Close folder', icon: <Icon name="close" size={14} />, line: true, run: closeRoot },
  ]
  const ranks = shown ? ranksText(shown.ranks) || (shown.pid === null ? '' : `pid ${shown.pid}`) : ''
  return (
    <>
      <Menu
        label={`Folder ${root.name}`}
        className="btn quiet place"
        title={root.catalog.root}
        items={items}
        onOpen={() => {
          request('recent.list', {}).then(setRecent, () => setRecent([]))
        }}
      >
        <Icon name="folder" size={14} />
        <span className="ell">{root.name}</span>
        <Icon name="chevron" size={12} />
      </Menu>
      {shown && (
        <div className="crumb" title={shown.dir}>
          {!small && ranks && (
            <>
              <span className="sep">/</span>
              <span className="num">{ranks}</span>
            </>
          )}
          <span className="sep">/</span>
          <span className="here num ell">{sessionName(shown, root.name)}</span>
          {shown.files.some(f => f.state === 'growing') && <span className="chip rec">recording</span>}
        </div>
      )}
    </>
  )
}

function Range({ small }: { readonly small: boolean }): ReactElement | null {
  const view = useSession(s => s.view)
  const window = useView(s => s.window)
  if (!view?.groups.length) return null
  const [ends, span] = rangeText(window)
  return (
    <>
      {view.groups.length > 1 && <GroupSwitch view={view} />}
      <div className="range num" title="Visible range, since the begin of the data" role="group" aria-label="Visible range">
        {!small && <Icon name="clock" size={12} />}
        <b>{ends}</b>
        <span className="t3">{span}</span>
      </div>
    </>
  )
}

/** Sources that don't overlap in time are shown one range after the other; nothing is shifted. */
function GroupSwitch({ view }: { readonly view: SessionView }): ReactElement {
  const group = useView(s => s.group)
  return (
    <>
      <label className="pick" title="These sources don't overlap in time. Each range is shown by itself; nothing was shifted.">
        <i>Range</i>
        <select value={group} onChange={e => switchGroup(Number(e.target.value))} aria-label="Time range, not aligned with the others">
          {view.groups.map(g => (
            <option key={g.id} value={g.id}>
              {g.label}
            </option>
          ))}
        </select>
        <Icon name="chevron" />
      </label>
      <span className="chip warn">
        <Icon name="warn" size={12} />
        not aligned
      </span>
    </>
  )
}

function PaletteButton({ small }: { readonly small: boolean }): ReactElement {
  return (
    <button
      className={small ? 'btn icon' : 'btn'}
      {...(small ? { 'aria-label': 'Commands' } : {})}
      title={`Find a command (${caps('palette')})`}
      onClick={() => runCommand('palette')}
    >
      <Icon name="search" size={14} />
      {!small && (
        <>
          Commands <kbd>{caps('palette')}</kbd>
        </>
      )}
    </button>
  )
}

function ExportButton({ small }: { readonly small: boolean }): ReactElement | null {
  const ready = useSession(s => s.view !== null && (s.view.tracks.length > 0 || s.view.allocators.length > 0))
  if (!ready) return null
  return (
    <button className="btn" aria-label="Export" title={`Export PNG (${caps('export-png')})`} onClick={() => runCommand('export-png')}>
      <Icon name="export" size={14} />
      {!small && 'Export'}
    </button>
  )
}

function ThemeButton(): ReactElement {
  const choice = useThemeChoice()
  const { name } = useTheme()
  const words = choice === 'system' ? `like the system (${name})` : choice
  return (
    <button
      className="btn icon"
      title={`Theme: ${words} (T)`}
      aria-label={`Theme: ${words}. Switch theme`}
      onClick={() => runCommand('toggle-theme')}
    >
      <Icon name={choice === 'system' ? 'system' : name === 'dark' ? 'moon' : 'sun'} />
    </button>
  )
}
