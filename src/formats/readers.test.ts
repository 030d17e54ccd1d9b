import { describe, expect, it } from 'vitest'
import { pbMessage } from './ntff/fixture'
import { readTable } from './readers'
import { bufferSource } from './source'

describe('readers by kind', () => {
  it('let the names of the folders confirm what trace_info holds', async () => {
    const bytes = pbMessage([
      [5, 'i-0a1b2c3d4e5f60718'],
      [9, 41872],
      [10, 1_793_628_127_000_000_000n],
    ])
    const named = await readTable('trace-info', bufferSource('i-0a1b2c3d4e5f60718_pid_41872/1793628127000000000/trace_info.pb', bytes))
    expect(named.table).toMatchObject({ pid: { value: 41872, how: 'name' } })
    const alone = await readTable('trace-info', bufferSource('trace_info.pb', bytes))
    expect(alone.table).toMatchObject({ pid: null })
  })
})
