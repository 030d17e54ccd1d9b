/** The tables below the timeline, one tab at a time. */
import type { KeyboardEvent, ReactElement } from 'react'
import { ChainTab } from '../chain/ChainTab'
import { GapsTab } from '../gaps/GapsTab'
import { NotesTab } from '../notes/NotesTab'
import { SearchTab } from '../search/SearchTab'
import { Boundary } from '../shell/Boundary'
import { Icon } from '../shell/icons'
import { Splitter } from '../shell/Splitter'
import { StatisticsTab } from '../stats/StatisticsTab'
import { StepsTab } from '../steps/StepsTab'
import { useSession } from '../state/session'
import { closeDrawer, DRAWER_MIN, DRAWER_TABS, openDrawer, useDrawer, type DrawerTab } from './state'
import './drawer.css'

const TABS: Readonly<Record<DrawerTab, { readonly title: string; readonly view: () => ReactElement }>> = {
  statistics: { title: 'Statistics', view: StatisticsTab },
  search: { title: 'Search', view: SearchTab },
  gaps: { title: 'Gaps', view: GapsTab },
  steps: { title: 'Steps', view: StepsTab },
  chain: { title: 'Dependencies', view: ChainTab },
  notes: { title: 'Notes', view: NotesTab },
}

/** `height`: of the drawer now, `max`: the highest there is room for, both in px. */
export function Drawer({ height, max }: { readonly height: number; readonly max: number }): ReactElement | null {
  const tab = useDrawer(s => s.tab)
  const session = useSession(s => s.session)
  if (tab === null || session === null) return null
  const View = TABS[tab].view
  const onKeyDown = (e: KeyboardEvent): void => {
    const i = DRAWER_TABS.indexOf(tab)
    const to =
      e.key === 'ArrowRight'
        ? (i + 1) % DRAWER_TABS.length
        : e.key === 'ArrowLeft'
          ? (i + DRAWER_TABS.length - 1) % DRAWER_TABS.length
          : e.key === 'Home'
            ? 0
            : e.key === 'End'
              ? DRAWER_TABS.length - 1
              : -1
    if (to < 0) return
    e.preventDefault()
    openDrawer(DRAWER_TABS[to])
    e.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus()
  }
  return (
    <>
      <Splitter
        label="Height of the tables"
        orientation="horizontal"
        direction={-1}
        value={height}
        min={DRAWER_MIN}
        max={max}
        onChange={px => useDrawer.setState({ height: px })}
        onReset={() => useDrawer.setState({ height: null })}
      />
      <section className="panel drawer" style={{ height }} aria-label="Tables" data-testid="drawer">
        <div className="phead">
          <div className="drawer-tabs" role="tablist" aria-label="Tables" onKeyDown={onKeyDown}>
            {DRAWER_TABS.map(t => (
              <button
                key={t}
                role="tab"
                id={`drawer-tab-${t}`}
                aria-selected={t === tab}
                aria-controls="drawer-panel"
                tabIndex={t === tab ? 0 : -1}
                className={t === tab ? 'tab on' : 'tab'}
                onClick={() => openDrawer(t)}
              >
                {TABS[t].title}
              </button>
            ))}
          </div>
          <span className="sp" />
          <button className="btn quiet icon" aria-label="Close the tables" title="Close the tables" onClick={closeDrawer}>
            <Icon name="close" size={12} />
          </button>
        </div>
        <div className="drawer-body" role="tabpanel" id="drawer-panel" aria-labelledby={`drawer-tab-${tab}`}>
          <Boundary name={TABS[tab].title} resetOn={[session, tab]}>
            <View />
          </Boundary>
        </div>
      </section>
    </>
  )
}
