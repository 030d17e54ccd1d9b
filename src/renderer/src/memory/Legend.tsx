/** The legend in the gutter: owner groups with what they hold at the cursor. */
import { useMemo, type ReactElement } from 'react'
import type { AllocatorInfo, Axis, MemoryAt } from '../../../shared/api'
import { exactBytes, memory } from '../../../shared/format'
import { groupToken } from '../../../paint/memory/raster'
import { groupNames } from '../../../paint/memory/words'
import { inUnit, unitFor, type ByteScale } from '../../../paint/memory/scale'
import type { Answered } from './useAsk'
import { setMemorySettings, useMemorySettings } from './settings'
import { useAllocation } from './useAllocation'
import { useView } from '../state/view'

/** Below this height of the chart, groups that hold nothing (neither live nor in the start state) are left out. */
const TIGHT = 240

interface Props {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly at: Answered<number, MemoryAt> | null
  readonly scale: ByteScale
  readonly height: number
}

export function Legend({ info, at, scale, height }: Props): ReactElement {
  const { startState, only } = useMemorySettings()
  const pinned = useView(s => (s.pinned?.allocator === info.id ? s.pinned.allocation : null))
  const pinnedGroup = useAllocation(info.id, pinned).details?.group ?? null
  const unit = unitFor(scale.max)
  const m = at?.answer ?? null
  const rows = useMemo(() => {
    const value = (g: number): number | null => (m ? m.groups[g] - (startState ? m.startGroups[g] : 0) : null)
    const names = groupNames(info.groups)
    return info.groups
      .map((g, i) => ({ ...g, name: names[i], index: i, bytes: value(i), start: startState && m ? m.startGroups[i] : 0 }))
      .filter(r => height >= TIGHT || m === null || r.bytes !== 0 || r.start > 0)
  }, [info.groups, m, startState, height])
  const text = (b: number | null): string => (b === null ? '—' : inUnit(b, unit))
  const title = (b: number | null): string => (b === null ? 'Nothing is known at the cursor' : `${memory(b)}, ${exactBytes(b)} requested`)
  return (
    <div className="legend" role="group" aria-label="Legend, requested bytes at the cursor">
      <div className="h">At cursor, {unit.name}</div>
      <div className="rows">
        {rows.map(r => (
          <button
            key={r.index}
            className={`r${r.bytes === 0 ? ' dim' : ''}${r.index === pinnedGroup ? ' pin' : ''}${only !== null && only !== r.index ? ' off' : ''}`}
            aria-pressed={only === r.index}
            title={`${r.label}${r.file ? `\n${r.file}:${r.line}` : ''}\nAt the cursor: ${title(r.bytes)}${r.start > 0 ? `\nIn the start state at the cursor: ${title(r.start)}` : ''}\nAt the peak${startState && info.startActiveBytes > 0 ? ', start state included' : ''}: ${memory(r.peakBytes)}\nClick shows it alone, click again shows all.`}
            onClick={() => setMemorySettings({ only: only === r.index ? null : r.index })}
          >
            <i className="sw" style={{ background: `var(${groupToken(r.index)})` }} />
            <Name text={r.name} />
            <span className="v num" data-bytes={r.bytes ?? undefined}>
              {text(r.bytes)}
            </span>
          </button>
        ))}
        {startState && info.startActiveBytes > 0 && (
          <div
            className={`r${m?.startBytes === 0 ? ' dim' : ''}`}
            title={`Allocated before the recording began: ${title(m ? m.startBytes : null)}`}
          >
            <i className="sw start" />
            <span className="n">start state</span>
            <span className="v num">{text(m ? m.startBytes : null)}</span>
          </div>
        )}
      </div>
      <div className="r sum" title={`Active, requested${info.atLeast === true ? ' (at least)' : ''}: ${title(m ? m.activeBytes : null)}`}>
        <span className="n">Active</span>
        <span className="v num">{text(m ? m.activeBytes : null)}</span>
      </div>
    </div>
  )
}

/** A name that is cut before its line number: the number tells two lines of one function apart. */
function Name({ text }: { readonly text: string }): ReactElement {
  const parts = /^(.+)(:\d+)$/.exec(text)
  return (
    <span className="n line">
      <span>{parts?.[1] ?? text}</span>
      {parts && <span>{parts[2]}</span>}
    </span>
  )
}
