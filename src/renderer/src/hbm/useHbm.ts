/** The requests of the HBM tab as hooks. */
import type { HbmAllocationDetails, HbmAt, HbmGrouping, HbmInfo, HbmLive, HbmPicture, HbmSort } from '../../../shared/hbm-api'
import { useAsk, type Answered } from '../memory/useAsk'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'

const MAX_COLUMNS = 4096
/** Rows of the table that are asked for at once, and the step by which the asked stretch moves. */
const PAGE = 300
const PAGE_STEP = 100

/** The HBM that `id` names; else the first one of the shown time group, else the first one. */
export const shownHbm = (all: readonly HbmInfo[] | undefined, id: number | null, group: number): HbmInfo | null =>
  all?.find(h => h.id === id) ?? all?.find(h => h.group === group) ?? all?.[0] ?? null

export function useShownHbm(): HbmInfo | null {
  const id = useView(s => s.hbm)
  const group = useView(s => s.group)
  return useSession(s => shownHbm(s.view?.hbm, id, group))
}

export interface PictureAsked {
  readonly start: number
  readonly end: number
  readonly width: number
  readonly grouping: HbmGrouping
}

/** The picture of the window; `width` is the plot's in device pixels. */
export function useHbmPicture(
  info: HbmInfo,
  window: TimeWindow,
  width: number,
  grouping: HbmGrouping,
): { readonly value: Answered<PictureAsked, HbmPicture> | null; readonly error: string | null } {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const usable = session !== null && width >= 1 && window.end > window.start
  const q: PictureAsked | null = usable
    ? { start: window.start, end: window.end, width: Math.min(MAX_COLUMNS, Math.round(width)), grouping }
    : null
  return useAsk(usable ? `${session}/${info.id}` : '', q ? [version, ...Object.values(q)].join() : '', q, a =>
    request('hbm.picture', { session: session ?? '', hbm: info.id, ...a }),
  )
}

/** Everything at an instant of the HBM's time group; null while unknown. */
export function useHbmAt(info: HbmInfo | null, at: number | null): Answered<number, HbmAt> | null {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const group = useView(s => s.group)
  const asked = info !== null && info.group === group ? at : null
  const { value } = useAsk(session !== null && asked !== null ? `${session}/${info?.id}` : '', `${version},${asked}`, asked, (t: number) =>
    request('hbm.at', { session: session ?? '', hbm: info?.id ?? 0, at: t }),
  )
  return value
}

export interface LiveAsked {
  readonly at: number
  readonly sort: HbmSort
  readonly descending: boolean
  readonly filter: string
  readonly offset: number
  readonly limit: number
}

/** Live runtime allocations at a time, the stretch of rows around `first`. */
export function useHbmLive(
  info: HbmInfo,
  at: number | null,
  order: { readonly sort: HbmSort; readonly descending: boolean },
  filter: string,
  first: number,
): { readonly value: Answered<LiveAsked, HbmLive> | null; readonly error: string | null } {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const offset = Math.max(0, Math.floor(first / PAGE_STEP) - 1) * PAGE_STEP
  const q: LiveAsked | null = session !== null && at !== null ? { at, ...order, filter, offset, limit: PAGE } : null
  return useAsk(q ? `${session}/${info.id}` : '', q ? [version, JSON.stringify(q)].join() : '', q, a =>
    request('hbm.live', { session: session ?? '', hbm: info.id, ...a }),
  )
}

/** A runtime allocation; null while it is on its way. */
export function useRuntimeAllocation(
  hbm: number | null,
  allocation: number | null,
): { readonly details: HbmAllocationDetails | null; readonly error: string | null } {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const there = session !== null && hbm !== null && allocation !== null
  const { value, error } = useAsk(there ? `${session}/${hbm}/${allocation}` : '', String(version), there ? allocation : null, (a: number) =>
    request('hbm.allocation', { session: session ?? '', hbm: hbm ?? 0, allocation: a }),
  )
  return { details: value?.answer ?? null, error }
}
