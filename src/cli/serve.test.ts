import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { serveArgs, serveCommand } from './serve'

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

it('an address that others reach wants a word more', () => {
  expect(serveArgs(['p'])).toMatchObject({ host: '127.0.0.1', port: 0 })
  for (const host of ['127.0.0.1', 'localhost', '::1']) expect(serveArgs(['p', '--host', host])).toMatchObject({ host })
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'trn-host', '127.evil.example']) {
    expect(() => serveArgs(['p', '--host', host])).toThrow(/--allow-remote/)
    expect(serveArgs(['p', '--host', host, '--allow-remote'])).toMatchObject({ host })
  }
  for (const host of ['', 'a b', 'http://x/', 'x'.repeat(300)])
    expect(() => serveArgs(['p', '--host', host, '--allow-remote'])).toThrow(/takes an address/)
})
