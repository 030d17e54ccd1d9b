import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { serveCommand } from './serve'

// The workers exist in the build only; none is started here.
vi.mock('../main/workers', () => ({ spawnParse: vi.fn(), spawnEngine: vi.fn(), spawnVerify: vi.fn() }))
afterEach(() => vi.restoreAllMocks())

it('a path that is not there is one sentence on stderr and exit code 1', async () => {
  let err = ''
  vi.spyOn(process.stderr, 'write').mockImplementation(t => {
    err += String(t)
    return true
  })
  const absent = join(tmpdir(), 'nw-absent', 'profile')
  expect(await serveCommand([absent])).toBe(1)
  expect(err).toBe(`neuron-workbench: ${absent} cannot be opened: there is nothing of that name.\n`)
})
