/** The tooltip of the System Trace. It stands beside the pointer and takes no events. */
import { useEffect, useLayoutEffect, useRef, useState, type ReactElement, type ReactNode } from 'react'
import { duration, num, timeMs } from '../../../shared/format'
import type { TrackInfo } from '../../../shared/api'
import { counterText, exactText, styleTokens, type CounterSpan, type SliceHit } from '../../../paint/timeline'
import { request } from '../state/session'
import { useView } from '../state/view'
import type { Tip } from './controller'
import { HbmTip } from './HbmTip'
import { trackWords } from './controller'
import type { TraceInput } from './input'
import { rowName } from './rowActions'

/** Self time needs a request; it is made once the pointer has rested this long. */
const ASK_MS = 120
const GAP = 14
const EDGE = 6

const FLAG_WORDS = ['', 'instant', 'no end recorded', 'no begin recorded'] as const

export function TraceTip({ tip, input }: { readonly tip: Tip; readonly input: TraceInput }): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    const { offsetWidth: w, offsetHeight: h } = el
    const right = tip.x + GAP + w + EDGE <= innerWidth
    const below = tip.y + GAP + h + EDGE <= innerHeight
    el.style.left = `${Math.max(EDGE, right ? tip.x + GAP : tip.x - GAP - w)}px`
    el.style.top = `${Math.max(EDGE, below ? tip.y + GAP : tip.y - GAP - h)}px`
  })
  const { hit } = tip
  return (
    <div className="trace-tip" ref={box} role="tooltip">
      {hit.type === 'slice' && <SliceTip hit={hit} input={input} />}
      {hit.type === 'label' && hit.row.type === 'track' && (
        <>
          <div className="big">{trackWords(hit.row.track)}</div>
          <div className="full num">{rowName(hit.row, input.rows)}</div>
          <Facts
            rows={[
              ['Process', [hit.row.track.pid, hit.row.track.processName, hit.row.track.processLabels].filter(Boolean).join(' · ') || '—'],
              ['Events', num(hit.row.track.events)],
              ['Levels', hit.row.track.kind === 'slices' ? num(hit.row.track.depth) : null],
            ]}
          />
        </>
      )}
      {hit.type === 'label' && hit.row.type === 'note' && <div className="big">{hit.row.words}</div>}
      {hit.type === 'group' && (
        <>
          <div className="big">{[hit.row.title, hit.row.sub].filter(Boolean).join(' · ')}</div>
          {hit.row.full && <div className="full num">{hit.row.full}</div>}
          <Facts rows={[['Tracks', num(hit.row.count)]]} />
        </>
      )}
      {hit.type === 'counter' && (
        <>
          <div className="big">{hit.row.label}</div>
          <div className="full num">{rowName(hit.row, input.rows)}</div>
          <Facts
            rows={[
              ...spanFacts(hit.row.track, hit.span),
              ['Range', `${counterText(hit.row.track, hit.row.track.min)} – ${counterText(hit.row.track, hit.row.track.max)}`],
            ]}
          />
        </>
      )}
      {hit.type === 'counter' && hit.row.track.origin === 'hbm' && <HbmTip track={hit.row.track} session={input.session} />}
    </div>
  )
}

/** One value, or what it was on average, at least and at most in the pixel column. */
function spanFacts(track: TrackInfo, { low, high, mean }: CounterSpan): readonly (readonly [string, ReactNode])[] {
  const text = (v: number): string => counterText(track, v)
  if (!(low < high))
    return [
      ['Value', text(high)],
      ['Exactly', exactText(track, high)],
    ]
  return [
    ['Average', Number.isNaN(mean) ? null : text(mean)],
    ['Minimum', text(low)],
    ['Maximum', text(high)],
    ['Max. exactly', exactText(track, high)],
  ]
}

function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }): ReactElement {
  return (
    <dl>
      {rows.map(
        ([k, v]) =>
          v !== null && (
            <div key={k}>
              <dt>{k}</dt>
              <dd className="num">{v}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function SliceTip({ hit, input }: { readonly hit: SliceHit; readonly input: TraceInput }): ReactElement {
  const { columns: c, index, row } = hit
  const merged = c.merged[index]
  const flag = c.flags[index]
  const self = useSelfTime(input.session, row.track.source, c.row[index], merged === 1 && flag !== 1)
  const selected = useView(
    s => s.selection?.type === 'slice' && s.selection.row === c.row[index] && s.selection.source === row.track.source,
  )
  const length = c.duration[index]
  return (
    <>
      <div className="big">
        <i className="sw" style={{ background: `var(${flag === 1 ? '--text-1' : styleTokens(c.style[index])[0]})` }} />
        <span className="ell">{c.names[c.name[index]]}</span>
      </div>
      <Facts
        rows={[
          [flag === 1 ? 'At' : 'Start', timeMs(c.from[index])],
          ['Duration', flag === 1 ? null : Number.isFinite(length) ? duration(length) : '—'],
          ['Self', self === null ? null : duration(self)],
          ['Track', trackWords(row.track)],
          ['Category', c.categories[c.category[index]] || null],
          ['Note', FLAG_WORDS[flag] || null],
        ]}
      />
      {merged > 1 && <div className="foot num">{num(merged)} slices here; this is the longest. Zoom in to tell them apart.</div>}
      {merged <= 1 && !selected && <div className="foot">Click to keep it in the details</div>}
    </>
  )
}

/** Self time of a slice from the engine; null until it is known. */
function useSelfTime(session: string, source: number, row: number, wanted: boolean): number | null {
  const key = `${session}/${source}/${row}`
  const [known, setKnown] = useState<{ readonly key: string; readonly self: number | null } | null>(null)
  useEffect(() => {
    if (!wanted) return
    let gone = false
    const timer = setTimeout(() => {
      request('trace.slice', { session, source, row })
        .then(d => {
          if (!gone) setKnown({ key, self: d.selfTime })
        })
        .catch(() => {
          // The tooltip does without; the details tell the reason when the slice is selected.
        })
    }, ASK_MS)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [key, session, source, row, wanted])
  return wanted && known?.key === key ? known.self : null
}
