/** Memory Viewer: the tabs PyTorch Allocator and HBM, rank and device, and below them the shown tab or the reason why there is nothing to show. */
import { useId, useRef, type KeyboardEvent, type ReactElement } from 'react'
import type { AllocatorInfo, SessionView, SourceInfo } from '../../../shared/api'
import { ShiftedChip } from '../alignment/ShiftedChip'
import { closeDrawer } from '../drawer/state'
import { runCommand } from '../commands/registry'
import { eventExtent } from '../shell/follow'
import { Icon } from '../shell/icons'
import { useUi } from '../shell/ui'
import { openSession, useSession } from '../state/session'
import { useView } from '../state/view'
import { AllocatorView } from './AllocatorView'
import { deviceChoices, rankChoices } from './choices'
import { NoAllocator } from './states'
import { HbmSelect } from '../hbm/HbmSelect'
import { HbmView } from '../hbm/HbmView'
import { NoHbm } from '../hbm/states'
import { useShownHbm } from '../hbm/useHbm'
import './memory.css'

const TABS = [
  { id: 'allocator', label: 'PyTorch Allocator' },
  { id: 'hbm', label: 'HBM' },
] as const
/** What each tab draws, for the word about clocks that were shifted. */
const DRAWN: Readonly<Record<(typeof TABS)[number]['id'], readonly SourceInfo['kind'][]>> = {
  allocator: ['memory-snapshot'],
  hbm: ['system'],
}

/** `folded`: the tables below have the room; only the head is shown, with the way back. */
export function MemoryPanel({ folded = false }: { readonly folded?: boolean }): ReactElement {
  const tab = useView(s => s.memoryTab)
  const view = useSession(s => s.view)
  const info = useShownAllocator()
  const hbm = useShownHbm()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const onTabKey = (e: KeyboardEvent): void => {
    const to = { ArrowRight: 1, ArrowLeft: -1, Home: -1, End: 1 }[e.key]
    if (to === undefined) return
    const next = TABS[Math.min(1, Math.max(0, TABS.findIndex(t => t.id === tab) + to))]
    useView.getState().setMemoryTab(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab=${next.id}]`)?.focus()
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <section
      className="panel mem"
      aria-label="Memory Viewer"
      onPointerEnter={() => useUi.setState({ panel: 'memory' })}
      onFocus={() => useUi.setState({ panel: 'memory' })}
    >
      <div className="phead">
        <h2>Memory Viewer</h2>
        <ShiftedChip kinds={DRAWN[tab]} />
        <div className="tabs" role="tablist" aria-label="Memory Viewer" ref={list}>
          {TABS.map(t => (
            <button
              key={t.id}
              className="tab"
              role="tab"
              id={`${id}-${t.id}`}
              data-tab={t.id}
              aria-selected={tab === t.id}
              aria-controls={`${id}-panel`}
              tabIndex={tab === t.id ? 0 : -1}
              onClick={() => useView.getState().setMemoryTab(t.id)}
              onKeyDown={onTabKey}
            >
              {t.label}
            </button>
          ))}
        </div>
        <span className="sp" />
        {folded && !info && !hbm && <span className="hint">No device memory in these files</span>}
        {folded && (info || hbm) && (
          <button className="btn quiet" title="Closes the tables below, which have the room of this view" onClick={closeDrawer}>
            <Icon name="up" size={12} />
            Show
          </button>
        )}
        {tab === 'allocator' && view && info && <Selects view={view} info={info} />}
        {tab === 'hbm' && view && hbm && <HbmSelect view={view} info={hbm} />}
        <button className="btn icon" title="Export PNG" aria-label="Export this view as PNG" onClick={() => runCommand('export-png')}>
          <Icon name="image" size={14} />
        </button>
      </div>
      <div className="tabpanel" hidden={folded} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {folded ? null : tab === 'hbm' ? (
          view && hbm ? (
            <HbmView key={hbm.id} info={hbm} view={view} />
          ) : (
            <NoHbm />
          )
        ) : view && info ? (
          <AllocatorView key={info.path} info={info} view={view} />
        ) : (
          <NoAllocator />
        )}
      </div>
    </section>
  )
}

/** The allocator that the view store names; the first one while it names none that exists. */
export function useShownAllocator(): AllocatorInfo | null {
  const id = useView(s => s.allocator)
  return useSession(s => s.view?.allocators.find(a => a.id === id) ?? s.view?.allocators[0] ?? null)
}

/** Shows another allocator: its event axis from the start state to the last event. */
export function showAllocator(a: AllocatorInfo): void {
  const v = useView.getState()
  if (v.pinned && v.pinned.allocator !== a.id) v.pin(null)
  v.setAllocator(a.id, eventExtent(a))
}

function Selects({ view, info }: { readonly view: SessionView; readonly info: AllocatorInfo }): ReactElement {
  const sessions = useSession(s => s.root?.catalog.sessions)
  const ranks = rankChoices(view, sessions ?? [])
  const devices = deviceChoices(view, info.source)
  const onRank = (value: string): void => {
    const choice = ranks.find(r => r.value === value)
    if (choice?.session) void openSession(choice.session)
    const next = choice && choice.source !== null ? deviceChoices(view, choice.source) : []
    const same = next.find(a => a.device === info.device) ?? next[0]
    if (same) showAllocator(same)
  }
  return (
    <>
      <label
        className="pick"
        title={info.rankFromName ? `Rank ${info.rank}, from the file's name` : 'The file name tells no rank: taken as 0'}
      >
        <i>Rank</i>
        <select value={`source:${info.source}`} onChange={e => onRank(e.target.value)} data-testid="rank">
          {ranks.map(r => (
            <option key={r.value} value={r.value}>
              {r.label}
            </option>
          ))}
        </select>
        <Icon name="chevron" size={12} />
      </label>
      <label className="pick" title="Device of the snapshot">
        <i>Device</i>
        <select
          value={info.id}
          data-testid="device"
          onChange={e => {
            const a = devices.find(d => d.id === Number(e.target.value))
            if (a) showAllocator(a)
          }}
        >
          {devices.map(d => (
            <option key={d.id} value={d.id}>
              {d.events === 0 ? `${d.device} · no events` : d.device}
            </option>
          ))}
        </select>
        <Icon name="chevron" size={12} />
      </label>
    </>
  )
}
