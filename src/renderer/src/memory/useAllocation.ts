/** Facts of allocations as the views ask for them: one request per allocation, kept as long as the data is the same. */
import { useEffect, useState } from 'react'
import type { AllocationDetails, AllocatorInfo, Axis } from '../../../shared/api'
import { request, useSession } from '../state/session'

const KEEP = 200
let cacheOf = ''
const cache = new Map<number, Promise<AllocationDetails>>()

function fetchDetails(scope: string, session: string, allocator: number, allocation: number): Promise<AllocationDetails> {
  if (cacheOf !== scope) {
    cache.clear()
    cacheOf = scope
  }
  let p = cache.get(allocation)
  if (!p) {
    p = request('memory.allocation', { session, allocator, allocation })
    p.catch(() => cache.delete(allocation))
    if (cache.size >= KEEP) cache.clear()
    cache.set(allocation, p)
  }
  return p
}

export interface DetailsState {
  readonly details: AllocationDetails | null
  readonly error: string | null
}

/** Details of an allocation; null while they are on their way or when `allocation` is null. */
export function useAllocation(allocator: number | null, allocation: number | null): DetailsState {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const scope = `${session}/${allocator}/${version}`
  const key = `${scope}/${allocation}`
  const [state, setState] = useState<DetailsState & { readonly key: string }>({ key: '', details: null, error: null })
  useEffect(() => {
    if (session === null || allocator === null || allocation === null) return
    let current = true
    fetchDetails(scope, session, allocator, allocation).then(
      details => current && setState({ key, details, error: null }),
      (e: unknown) => current && setState({ key, details: null, error: e instanceof Error ? e.message : String(e) }),
    )
    return () => {
      current = false
    }
  }, [scope, session, allocator, allocation, key])
  // The answer of an older version of the same allocation stays until the new one is there.
  const same = state.details?.allocation === allocation && state.key.startsWith(`${session}/${allocator}/`)
  return state.key === key || same ? state : { details: null, error: null }
}

/** Life of the pinned allocation on an axis, for the bracket on the lower axis. Null ends lie outside the recording. */
export function usePinnedLife(
  info: AllocatorInfo,
  axis: Axis,
  pinned: number | null,
): { readonly from: number | null; readonly to: number | null } | null {
  const { details } = useAllocation(pinned === null ? null : info.id, pinned)
  if (!details) return null
  if (axis === 'time') return { from: details.allocTime, to: details.freeCompletedTime }
  return { from: details.allocEvent < 0 ? null : details.allocEvent, to: details.freeCompletedEvent }
}
