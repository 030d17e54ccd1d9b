/** What an HBM holds at the cursor, by usage: total and largest categories, for the tooltip of its lane. */
import { useEffect, useState, type ReactElement } from 'react'
import type { TrackInfo } from '../../../shared/api'
import { num } from '../../../shared/format'
import type { HbmAt, HbmInfo } from '../../../shared/hbm-api'
import { MIB } from '../../../shared/units'
import { fail, request, useSession } from '../state/session'
import { useView } from '../state/view'

/** A question is asked once the pointer has rested this long. */
const ASK_MS = 100
/** Categories listed one by one. */
const MOST = 8

/** The HBM of a lane: same source, same device and HBM, same process where both tell one. */
const hbmOf = (hbms: readonly HbmInfo[] | undefined, t: TrackInfo): HbmInfo | undefined =>
  hbms?.find(
    h => h.source === t.source && `${h.device ?? -1}:${h.hbm}` === t.tid && (h.pid === null || t.pid === '' || String(h.pid) === t.pid),
  )

export function HbmTip({ track, session }: { readonly track: TrackInfo; readonly session: string }): ReactElement | null {
  const info = useSession(s => hbmOf(s.view?.hbm, track))
  const at = useView(s => s.cursor)
  const [known, setKnown] = useState<{ readonly hbm: number; readonly now: HbmAt } | null>(null)
  const id = info?.id
  useEffect(() => {
    if (id === undefined || at === null) return
    let gone = false
    const timer = setTimeout(() => {
      request('hbm.at', { session, hbm: id, at }).then(now => {
        if (!gone) setKnown({ hbm: id, now })
      }, fail)
    }, ASK_MS)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [id, at, session])
  if (!info || known?.hbm !== info.id) return null
  const { totalBytes, categories } = known.now
  if (totalBytes === null) return <div className="foot">Nothing is known of this HBM here</div>
  const share = (bytes: number, of: number | null): string => (of ? ` (${num((bytes / of) * 100, 1)} %)` : '')
  const rows = categories
    .map((bytes, i) => ({ name: info.categories[i]?.name ?? '', bytes: bytes ?? 0 }))
    .filter(r => r.bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
  const rest = rows.slice(MOST)
  return (
    <dl className="hbm-tip num">
      <div>
        <dt>Total</dt>
        <dd>
          {num(totalBytes / MIB, 1)} MiB{share(totalBytes, info.capacity.bytes)}
        </dd>
      </div>
      {rows.slice(0, MOST).map(r => (
        <div key={r.name}>
          <dt className="ell">{r.name}</dt>
          <dd>
            {num(r.bytes / MIB, 1)} MiB{share(r.bytes, totalBytes)}
          </dd>
        </div>
      ))}
      {rest.length > 0 && (
        <div>
          <dt>{num(rest.length)} smaller</dt>
          <dd>{num(rest.reduce((s, r) => s + r.bytes, 0) / MIB, 1)} MiB</dd>
        </div>
      )}
    </dl>
  )
}
