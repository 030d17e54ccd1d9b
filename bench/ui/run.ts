/**
 * The window's measurements in a real Chromium through `serve`: `run.mjs ROOT CACHE [--quick] [--only sample|2m|10m|cancel] [--big TRACE]` prints one JSON line per
 * part, with `failed` where a part could not be measured. The program must be built. See README.md of bench for what each figure means.
 */
import { copyFile, link, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS, findBrowser } from '../../scripts/find-browser.mjs'
import { writeSample } from '../../src/session/sample/write'
import { columnOf, tileAt } from '../../src/shared/tiles'
import { sequence } from '../synthetic'
import { quantile } from '../took'
import { CATEGORIES, frameWork, mainTasks, type Work } from './frames'
import { installProbe, type Probe } from './probe'
import { ensureProfile } from './profile'
import { connect, serve, wallMs, type Client, type Served } from './shell'

const VIEWPORT = { width: 1440, height: 900 }
const STARTS = 5
const LOADS = 3
const RUNS = 2
const CANCELS = 5
/** Slices that the naive peer paints: more take minutes where the canvas is painted without a GPU. */
const NAIVE = 100_000

const [root, cache, ...flags] = process.argv.slice(2)
const quick = flags.includes('--quick')
const value = (flag: string): string | null => (flags.includes(flag) ? (flags[flags.indexOf(flag) + 1] ?? null) : null)
const only = value('--only')
const home = await mkdtemp(join(tmpdir(), 'neuron-workbench-bench-'))
const say = (part: string, figures: object): void => void process.stdout.write(`${JSON.stringify({ part, ...figures })}\n`)
const note = (text: string): void => void process.stderr.write(`  ${text}\n`)

const inPage = (page: Page): Promise<Probe> => page.evaluate(() => (window as unknown as { benchProbe: Probe }).benchProbe)

/** A page that is there already, as a user's browser is: only what the program does is measured. */
async function newPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.addInitScript(installProbe)
  return page
}

async function pictured(page: Page, timeout: number): Promise<void> {
  try {
    await page.waitForFunction(() => (window as unknown as { benchProbe?: Probe }).benchProbe?.firstPicture != null, null, {
      timeout,
      polling: 50,
    })
  } catch {
    throw new Error(`no first picture within ${timeout / 1000} s: ${JSON.stringify(await inPage(page))}`)
  }
}

/** Waits until every file of the session is read; throws where one could not be. */
async function settled(client: Client): Promise<void> {
  for (;;) {
    const state = await client.request('root.get', {})
    const session = state?.scanning === false ? state.catalog.sessions[0]?.id : undefined
    // The page opens the session; to ask before it did would only start the reading a little earlier.
    const view = session === undefined ? null : await client.request('session.view', { session }).catch(() => null)
    const jobs = view?.jobs ?? []
    const bad = jobs.find(j => j.state === 'failed' || j.state === 'cancelled')
    if (bad) throw new Error(`${bad.path}: ${bad.note}`)
    if (view && jobs.length > 0 && jobs.every(j => j.state === 'done') && view.tracks.length > 0 && view.allocators.length > 0) return
    await sleep(100)
  }
}

// ── the sample profile ──

async function startToPicture(
  browser: Browser,
  dir: string,
): Promise<{ readonly total: number; readonly serve: number; readonly page: number }> {
  const page = await newPage(browser)
  const served = await serve(root, dir, home)
  try {
    const url = wallMs()
    await page.goto(served.url, { waitUntil: 'commit' })
    await pictured(page, 60_000)
    const at = await page.evaluate(
      () => performance.timeOrigin + ((window as unknown as { benchProbe: Probe }).benchProbe.firstPicture ?? NaN),
    )
    return { total: at - served.startedMs, serve: url - served.startedMs, page: at - url }
  } finally {
    await page.close()
    await served.stop()
  }
}

async function sample(browser: Browser): Promise<object> {
  const dir = join(home, 'sample')
  await writeSample(dir, { ranks: 2, steps: 4, seed: 1 })
  const runs = []
  for (let i = 0; i < STARTS; i++) runs.push(await startToPicture(browser, dir))
  const best = runs.reduce((a, b) => (b.total < a.total ? b : a))
  return {
    ...best,
    median: quantile(
      runs.map(r => r.total),
      0.5,
    ),
    runs: runs.map(r => Math.round(r.total)),
  }
}

// ── a large trace ──

interface Loaded {
  readonly page: Page
  readonly served: Served
  readonly longest: Work
  readonly over50: number
  readonly pictureMs: number
  readonly readMs: number
}

/** Opens a profile in a fresh process and page; the page's tasks are recorded until everything is read and drawn. */
async function load(browser: Browser, dir: string): Promise<Loaded> {
  const page = await newPage(browser)
  const served = await serve(root, dir, home)
  let tracing = false
  try {
    const client = await connect(served.url)
    await browser.startTracing(page, { categories: CATEGORIES })
    tracing = true
    const begun = wallMs()
    await page.goto(served.url, { waitUntil: 'commit' })
    await settled(client)
    const readMs = wallMs() - begun
    await pictured(page, 60_000)
    await sleep(500) // what follows the first picture belongs to loading, too
    client.close()
    const tasks = mainTasks(await browser.stopTracing())
    tracing = false
    const at = await page.evaluate(
      () => performance.timeOrigin + ((window as unknown as { benchProbe: Probe }).benchProbe.firstPicture ?? NaN),
    )
    const longest = tasks.reduce((a, b) => (b.wall > a.wall ? b : a))
    return {
      page,
      served,
      longest: { wall: longest.wall, cpu: Math.max(...tasks.map(t => t.cpu)) },
      over50: tasks.filter(t => t.wall > 50).length,
      pictureMs: at - begun,
      readMs,
    }
  } catch (e) {
    if (tracing) await browser.stopTracing().catch(() => null)
    await page.close()
    await served.stop()
    throw e
  }
}

/** Middle of the rows of the System Trace. */
async function rowsCentre(page: Page): Promise<readonly [number, number]> {
  const box = await page.locator('.trace-rows').boundingBox()
  if (!box) throw new Error('the System Trace is not on the page')
  return [box.x + box.width * 0.6, box.y + box.height / 2]
}

/** Pans and zooms with the wheel, as fast as the page takes it, and answers the work of each frame. On a busy machine it ends after a minute. */
async function frames(browser: Browser, page: Page): Promise<readonly Work[]> {
  const [x, y] = await rowsCentre(page)
  await page.mouse.move(x, y)
  const until = wallMs() + 60_000
  const turn = async (key: 'Control' | 'Shift', count: number, delta: number): Promise<void> => {
    await page.keyboard.down(key)
    for (let i = 0; i < count && wallMs() < until; i++) await page.mouse.wheel(0, delta)
    await page.keyboard.up(key)
  }
  await browser.startTracing(page, { categories: CATEGORIES })
  await turn('Control', 8, -90) // to where a pan has room
  await turn('Shift', 30, 40)
  await turn('Control', 40, -90) // in, down to single slices
  await turn('Shift', 20, -60)
  await turn('Control', 48, 90) // and out again
  const work = frameWork(mainTasks(await browser.stopTracing())).slice(1)
  return work
}

/** What a viewer takes that paints each slice with one fillRect: a canvas of the plot's size, in the same page. ms per frame, the best of three. */
const naiveFrame = (page: Page, slices: number): Promise<number> =>
  page.evaluate(n => {
    const canvas = document.createElement('canvas')
    const { width, height } = document.querySelector('.trace-rows')?.getBoundingClientRect() ?? { width: 0, height: 0 }
    canvas.width = Math.round(width)
    canvas.height = Math.round(height)
    const ctx = canvas.getContext('2d')
    if (!ctx || width === 0) throw new Error('no canvas')
    const colours = ['#3b82f6', '#f59e0b', '#10b981', '#a855f7', '#ef4444', '#14b8a6', '#eab308', '#6366f1']
    const start = new Float64Array(n)
    let s = 1
    for (let i = 0; i < n; i++) start[i] = ((s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296) * width
    const rows = Math.max(1, Math.floor(height / 18))
    const times = []
    for (let k = 0; k < 3; k++) {
      const begun = performance.now()
      for (let i = 0; i < n; i++) {
        ctx.fillStyle = colours[i & 7]
        ctx.fillRect(start[i], (i % rows) * 18, 1, 17)
      }
      ctx.getImageData(0, 0, 1, 1) // until it is on the canvas
      times.push(performance.now() - begun)
    }
    return Math.min(...times)
  }, slices)

/** Bytes that the page's script holds after garbage collection: heap and the buffers outside it. */
async function heapMb(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.enable')
  for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage')
  const usage = (await cdp.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number }
  await cdp.detach()
  return (usage.usedSize + (usage.backingStorageSize ?? 0)) / 2 ** 20
}

async function large(browser: Browser, slices: number, loads: number): Promise<object> {
  const dir = join(cache, `ui-${slices / 1e6}m`)
  note(`profile of ${slices.toLocaleString('en-US')} slices …`)
  await ensureProfile(dir, slices)
  let best: Omit<Loaded, 'page' | 'served'> | null = null
  for (let i = 0; i < loads; i++) {
    const { page, served, ...figures } = await load(browser, dir)
    try {
      if (!best || figures.longest.wall < best.longest.wall) best = figures
      if (i < loads - 1) continue
      const before = await heapMb(page)
      let work: readonly Work[] = []
      const p95 = (w: readonly Work[]): number =>
        quantile(
          w.map(f => f.wall),
          0.95,
        )
      let bytesPerFrame = NaN
      for (let k = 0; k < RUNS; k++) {
        const { bytes } = (await inPage(page)).received
        const run = await frames(browser, page)
        // The first run: a second one finds most of its tiles in the page.
        if (k === 0) bytesPerFrame = ((await inPage(page)).received.bytes - bytes) / run.length
        if (k === 0 || p95(run) < p95(work)) work = run
      }
      const of = (get: (w: Work) => number): object => ({
        p50: quantile(work.map(get), 0.5),
        p95: quantile(work.map(get), 0.95),
        max: Math.max(...work.map(get)),
      })
      const heap = await heapMb(page)
      const naiveMs = await naiveFrame(page, NAIVE)
      const asked = await questions(served.url)
      return {
        slices,
        ...best,
        frames: work.length,
        wall: of(w => w.wall),
        cpu: of(w => w.cpu),
        naive: { slices: NAIVE, ms: naiveMs },
        bytesPerFrame,
        asked,
        heapBeforeMb: before,
        heapMb: heap,
        hostMb: served.peakMb(),
      }
    } finally {
      await page.close()
      await served.stop()
    }
  }
  throw new Error('nothing was loaded')
}

/** Round trips of questions about events through the socket, as the page asks them: ms. */
async function questions(url: string): Promise<object> {
  const client = await connect(url)
  try {
    const root = await client.request('root.get', {})
    const session = root?.catalog.sessions[0]?.id ?? ''
    const view = await client.request('session.view', { session })
    const group = view.groups[0]
    const slices = view.tracks.filter(t => t.kind === 'slices' && t.group === group.id)
    const timed = async (n: number, ask: (i: number) => Promise<unknown>): Promise<number[]> => {
      const out: number[] = []
      for (let i = 0; i < n; i++) {
        const begun = wallMs()
        await ask(i)
        out.push(wallMs() - begun)
      }
      return out
    }
    const spread = (times: number[]): object => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: Math.max(...times) })
    const random = sequence(5)
    const tiles = await timed(400, i => {
      const span = group.durationNs / 2 ** (i % 14)
      const column = columnOf(span / 1100)
      const first = tileAt(random() * (group.durationNs - span), column)
      const tracks = Array.from({ length: 8 }, (_, k) => slices[(i + k) % slices.length].id)
      return client.request('trace.tiles', { session, tracks, column, first, count: 3 })
    })
    const details = await timed(200, i => {
      const t = slices[i % slices.length]
      return client
        .request('trace.slice', { session, source: t.source, row: Math.floor(random() * view.sources[t.source].events) })
        .catch(() => null)
    })
    const stats = (start: number | null, end: number | null) =>
      client.request('trace.stats', {
        session,
        group: group.id,
        by: 'name',
        start,
        end,
        tracks: null,
        filter: '',
        regex: false,
        sort: { column: 'selfNs', descending: true },
        limit: 200,
        lane: 'bench',
      })
    const [first] = await timed(1, () => stats(null, null))
    const all = await timed(5, () => stats(null, null))
    const ranges = await timed(20, () => {
      const start = random() * group.durationNs * 0.7
      return stats(start, start + group.durationNs * 0.3)
    })
    return { tiles: spread(tiles), details: spread(details), statsFirst: first, statsAll: spread(all), statsRange: spread(ranges) }
  } finally {
    client.close()
  }
}

// ── cancel ──

/** Cancels the reading of a large trace again and again; the time until the host says so, and until the reader's thread is gone. */
async function cancel(browser: Browser, trace: string): Promise<object> {
  const dir = join(cache, 'ui-cancel')
  const session = join(dir, 'i-0be9c4000000000ab_pid_1000', '1717000000000000000')
  await rm(dir, { recursive: true, force: true })
  await mkdir(session, { recursive: true })
  const file = join(session, 'trace.json')
  await link(trace, file).catch(() => copyFile(trace, file))
  const page = await newPage(browser)
  const served = await serve(root, dir, home)
  try {
    const client = await connect(served.url)
    const reading = (): Promise<unknown> => client.event(e => e.type === 'job' && e.job.state === 'reading' && e.job.done > 0)
    let begun = reading()
    await page.goto(served.url)
    const told: number[] = []
    const gone: number[] = []
    for (let i = 0; i < CANCELS; i++) {
      await begun
      await sleep(300)
      const before = served.threads()
      const over = client.event(e => e.type === 'job' && e.job.state === 'cancelled')
      // The button in the tree, pressed from inside the page: a pointer's way through the test's own machinery is not the program's.
      const pressed = await page.evaluate(() => {
        const button = [...document.querySelectorAll('button')].find(b => b.getAttribute('aria-label')?.startsWith('Cancel '))
        button?.click()
        return button === undefined ? null : performance.timeOrigin + performance.now()
      })
      if (pressed === null) throw new Error('there is no button to cancel the reading')
      await over
      told.push(wallMs() - pressed)
      if (before !== null) {
        while ((served.threads() ?? 0) >= before && wallMs() - pressed < 10_000) await sleep(2)
        gone.push(wallMs() - pressed)
      }
      if (i === CANCELS - 1) break
      const state = await client.request('root.get', {})
      const s = state?.catalog.sessions[0]
      begun = reading()
      await client.request('file.retry', { session: s?.id ?? '', file: s?.files[0]?.id ?? '' })
    }
    client.close()
    return { bytes: (await stat(trace)).size, told, gone, toldMax: Math.max(...told), goneMax: gone.length ? Math.max(...gone) : null }
  } finally {
    await page.close()
    await served.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

let browser: Browser | null = null
try {
  browser = await chromium.launch({ executablePath: findBrowser(), args: [...CHROMIUM_FLAGS] })
  const b = browser
  const big = value('--big')
  const parts: readonly (readonly [string, () => Promise<object>])[] = [
    ['sample', () => sample(b)],
    ['2m', () => large(b, 2e6, LOADS)],
    ...(quick ? [] : [['10m', () => large(b, 10e6, 1)] as const]),
    ['cancel', () => (big === null ? Promise.resolve({ skipped: 'no large trace' }) : cancel(b, big))],
  ]
  for (const [name, measure] of parts) {
    if (only !== null && only !== name) continue
    note(`${name} …`)
    try {
      say(name, await measure())
    } catch (e) {
      say(name, { failed: e instanceof Error ? e.message : String(e) })
    }
  }
} finally {
  await browser?.close()
  await rm(home, { recursive: true, force: true })
}
