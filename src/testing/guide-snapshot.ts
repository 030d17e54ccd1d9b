/** The example of Neuron's memory guide as a snapshot: 4 and 8 MiB in a segment of 64 MiB, then 64 MiB in a second one; and the table that the guide prints after the first two. */
import { frame, MIB, type FixtureEvent, type FixtureSnapshot } from '../formats/memory-snapshot/fixture'

const FIRST = 0x10_0000_0000
const SECOND = FIRST + 64 * MIB

export function guideSnapshot(): FixtureSnapshot {
  const entry = (action: string, addr: number, size: number, line: number, time_us: number): FixtureEvent => ({
    ...{ action, addr, size, stream: 0, time_us, frames: [frame('<module>', '/home/user/example.py', line)] },
  })
  const block = (address: number, size: number, state = 'active_allocated') => ({
    address,
    size,
    requested_size: state === 'inactive' ? 0 : size,
    state,
    frames: [],
  })
  const segment = { device: 0, stream: 0, total_size: 64 * MIB, segment_type: 'large', segment_pool_id: [0, 0], is_expandable: false }
  return {
    segments: [
      {
        ...segment,
        address: FIRST,
        blocks: [block(FIRST, 4 * MIB), block(FIRST + 4 * MIB, 8 * MIB), block(FIRST + 12 * MIB, 52 * MIB, 'inactive')],
      },
      { ...segment, address: SECOND, blocks: [block(SECOND, 64 * MIB)] },
    ],
    device_traces: [
      [
        entry('segment_alloc', FIRST, 64 * MIB, 5, 1_000),
        entry('alloc', FIRST, 4 * MIB, 5, 1_001),
        entry('alloc', FIRST + 4 * MIB, 8 * MIB, 6, 1_002),
        entry('segment_alloc', SECOND, 64 * MIB, 14, 2_000),
        entry('alloc', SECOND, 64 * MIB, 14, 2_001),
      ],
    ],
  }
}

export const GUIDE_TABLE = `\
===========================================================================
  Neuron Memory Summary, Device 0
===========================================================================
  Allocations: 2  |  Frees: 0
  OOMs: 0  |  Alloc Retries: 0
===========================================================================
  Metric              | Current    | Peak       | Allocated  | Freed
---------------------------------------------------------------------------
  Allocated Memory   |     12 MiB |     12 MiB |     12 MiB |        0 B
  Reserved Memory    |     64 MiB |     64 MiB |     64 MiB |        0 B
  Active Memory      |     12 MiB |     12 MiB |     12 MiB |        0 B
===========================================================================
`
