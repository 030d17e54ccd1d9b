import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSample } from '../session/sample/write'
import type { AtDocument } from './at'
import type { ChainDocument } from './chain'
import { run } from './run'

// Two ranks, whose ids are the same numbers.
let dir = ''
let session = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-chain-cli-'))
  await writeSample(dir, { ranks: 2, steps: 1, seed: 3 })
  const [first] = (await readdir(dir)).sort()
  session = join(dir, first as string, (await readdir(join(dir, first as string)))[0] as string)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}
const json = async <T>(...argv: readonly string[]): Promise<T> => JSON.parse((await call(...argv, '--json')).out) as T

describe('chain', () => {
  it('goes from an aten:: op by the id that `at` tells to nc_exec_running and its NEFF, and back by the ids of its answer', async () => {
    const first = await json<ChainDocument>('chain', session, '--name', 'aten::linear')
    const time = String(BigInt(first.event.startNs ?? '') + 1n)
    const at = await json<AtDocument>('at', dir, '--time', time)
    const op = at.slices.find(s => s.name === 'aten::linear')
    expect(op?.id).toMatch(/trace\.json:\d+$/)
    expect(at.slices.every(s => /:\d+$/.test(s.id))).toBe(true)
    const doc = await json<ChainDocument>('chain', dir, '--event', op?.id ?? '')
    expect(doc.event).toMatchObject({ name: 'aten::linear', startNs: op?.startNs, durNs: op?.durNs, track: op?.track, layer: 'framework' })
    // A chain without a gap: each layer is reached from the one above.
    const order = ['framework', 'stream', 'neuron_rt', 'neuron_hw']
    for (let i = 1; i < order.length; i++)
      expect(
        doc.downstream.some(l => l.to.layer === order[i] && order.indexOf(l.from.layer) === i - 1),
        order[i],
      ).toBe(true)
    const running = doc.downstream.find(l => l.to.name === 'nc_exec_running')?.to
    expect(running?.startNs).toMatch(/^\d{19}$/)
    expect(doc.model?.neffs.map(n => n.path)).toEqual([expect.stringMatching(/neff_\d+_vnc_0\.neff$/)])
    expect(doc.model?.ntffs).toHaveLength(1)
    expect(doc.deviceNs).toBeGreaterThan(0)
    // Only files of its own rank.
    const folder = doc.event.id.split('/').slice(0, 2).join('/')
    for (const l of doc.downstream) expect(l.to.id.startsWith(`${folder}/`)).toBe(true)
    const back = await json<ChainDocument>('chain', dir, '--event', running?.id ?? '')
    expect(back.upstream.map(l => l.from.id)).toContain(doc.event.id)
    expect(back.upstream.some(l => l.from.name === 'kbl_exec_wait')).toBe(false)
    expect(back.downstream.map(l => l.to.name)).toEqual(['kbl_exec_wait'])
    expect(back.model).toEqual(doc.model)
  })

  it('takes an id with another beginning of the path, the nth of a name, and a single file', async () => {
    const byName = await json<ChainDocument>('chain', session, '--name', 'nc_exec_running', '--nth', '3')
    const again = await json<ChainDocument>('chain', session, '--event', byName.event.id)
    expect(again).toEqual(byName)
    const whole = await json<ChainDocument>('chain', session, '--event', join(session.slice(dir.length + 1), byName.event.id))
    expect(whole).toEqual(byName)
    const second = await json<ChainDocument>('chain', session, '--name', 'nc_exec_running', '--nth', '2')
    expect(BigInt(second.event.startNs ?? '')).toBeLessThanOrEqual(BigInt(byName.event.startNs ?? ''))
    const alone = await json<ChainDocument>('chain', join(session, 'trace.json'), '--name', 'linear')
    expect(alone).toMatchObject({ downstream: [], noDownstream: 'the session has no runtime trace', deviceNs: null })
  })

  it('says why nothing is linked, and tells text with every name once', async () => {
    const none = await json<ChainDocument>('chain', session, '--name', 'nrt_dma_mem_alloc')
    expect([none.upstream, none.noUpstream]).toEqual([[], 'this nrt_dma_mem_alloc event carries no sequence id'])
    const { code, out } = await call('chain', session, '--name', 'aten::linear')
    expect(code).toBe(0)
    expect(out).toMatch(/^aten::linear {2}\[framework, PID:\d+\/TID:\d+\]/)
    expect(out).toMatch(/\n {2}neuronLaunch .*\(encloses\)\n {4}linear .*\(flow \d+\)\n {6}nrt_execute .*\(sequence \d+\)/)
    expect(out.match(/nc_exec_running {2}\[/g)).toHaveLength(2)
    expect(out).toMatch(/\nModel\n {2}decoder_train_fwd {2}id \d+/)
  })

  it('refuses what is no id, no file, no event, and files that cannot be told apart', async () => {
    const wrong = async (...argv: readonly string[]): Promise<string> => {
      const { code, err, out } = await call('chain', ...argv)
      expect([code, out]).toEqual([2, ''])
      return err
    }
    expect(await wrong(session)).toContain('--event ID or --name NAME')
    expect(await wrong(session, '--event', 'x', '--name', 'y')).toContain('--event ID or --name NAME')
    expect(await wrong(session, '--event', 'trace.json')).toContain('FILE:ROW')
    expect(await wrong(session, '--name', 'forward', '--nth', '0')).toContain('--nth')
    // Right use, but nothing there: one line, no help.
    const none = async (...argv: readonly string[]): Promise<string> => {
      const { code, err, out } = await call('chain', ...argv)
      expect([code, out, err.trimEnd().split('\n').length]).toEqual([1, '', 1])
      return err
    }
    expect(await none(session, '--event', 'gone.json:1')).toContain('there is no file')
    expect(await none(session, '--event', 'trace.json:99999999')).toContain('no drawn event')
    expect(await none(session, '--name', 'nobody')).toContain('nobody')
    expect(await none(dir, '--event', 'trace.json:1')).toContain('2 files are called')
    expect(await json<object>('chain', session, '--name', 'nobody')).toMatchObject({ diagnostics: [{ code: 'not-found' }] })
    await cp(join(session, 'cpu_util.pb'), join(dir, 'only', 'cpu_util.pb'), { recursive: true })
    const { code } = await call('chain', join(dir, 'only'), '--name', 'x')
    expect(code).toBe(1)
    await rm(join(dir, 'only'), { recursive: true })
  })
})
