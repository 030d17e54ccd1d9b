/**
 * `npm run bench [-- --quick] [--part readers|system|queries|window] [--json FILE]`: readers, queries and the window against named peers and the design's budgets.
 * See bench/README.md. Exits 0 also where a budget is missed, 1 where something could not be measured that should have been, 2 for wrong arguments.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { figure, ms, Report } from '../bench/report.mjs'
import { ensureBuilt } from './ensure-built.mjs'

const root = resolve(import.meta.dirname, '..')
const PARTS = ['readers', 'system', 'queries', 'window']
const USAGE = 'usage: npm run bench [-- [--quick] [--part readers|system|queries|window]… [--json FILE]]'

function args() {
  try {
    const { values } = parseArgs({
      options: { quick: { type: 'boolean' }, json: { type: 'string' }, part: { type: 'string', multiple: true } },
    })
    const parts = values.part ?? PARTS
    const wrong = parts.find(p => !PARTS.includes(p))
    if (wrong !== undefined) throw new Error(`there is no part ${wrong}`)
    return { quick: values.quick ?? false, json: values.json ?? null, parts }
  } catch (e) {
    process.stderr.write(`${e.message}\n${USAGE}\n`)
    process.exit(2)
  }
}

const { quick, json, parts } = args()
const tools = resolve(root, process.env['NEURON_WORKBENCH_TOOLS'] ?? '../shared/tools')
const cache = join(root, '.cache/bench')
mkdirSync(cache, { recursive: true })
const report = new Report()

// ── processes ──

const run = (cmd, argv) => spawnSync(cmd, argv, { encoding: 'utf8', maxBuffer: 1 << 26 })
const lastLine = text => text.trim().split('\n').at(-1) ?? ''

/** Runs one measured process and answers its figures, `{ failed }` where it failed. */
function measure(argv, cmd = process.execPath) {
  const p = run(cmd, argv)
  if (p.status === 0) {
    try {
      return JSON.parse(lastLine(p.stdout))
    } catch {
      return { failed: 'it printed no figures' }
    }
  }
  // The message of an uncaught error stands on a line of its own in what Node and Python print.
  const said = p.stderr.split('\n').find(l => /^\w*(Error|Exception)\b/.test(l)) ?? lastLine(p.stderr)
  return { failed: (p.signal ?? said ?? `exit ${p.status}`).slice(0, 140) }
}

/** Runs the contestants in turn, `n` rounds, and keeps the fastest run of each (noise only ever adds) with the highest memory. One that fails is not run again. */
function contest(n, contestants) {
  const best = {}
  for (let round = 0; round < n; round++)
    for (const [name, f] of Object.entries(contestants)) {
      if (best[name]?.failed) continue
      const r = f()
      const b = best[name]
      best[name] = r.failed || !b ? r : { ...(r.ms < b.ms ? r : b), rssMb: Math.max(r.rssMb, b.rssMb) }
    }
  return best
}

/** An input made once and kept. Half of one is never taken for the whole. */
function make(name, cmd, argv) {
  const file = join(cache, name)
  if (existsSync(file)) return file
  process.stderr.write(`  making ${name} …\n`)
  const making = `${file}.tmp`
  const p = run(cmd, argv(making))
  if (p.status !== 0) {
    rmSync(making, { force: true })
    throw new Error(`${name} could not be made: ${lastLine(p.stderr) || p.error?.message}`)
  }
  renameSync(making, file)
  return file
}

const mb = file => statSync(file).size / 1e6

// ── readers ──

const readerRow = (name, r, size) =>
  r.failed
    ? [name, r.failed]
    : [
        name,
        `${figure(r.ms / 1000)} s`,
        `${figure(r.cpuMs / 1000)} s`,
        `${figure(size / (r.ms / 1000))} MB/s`,
        `${figure(r.rssMb)} MB`,
        r.count.toLocaleString('en-US'),
      ]
const READER_HEAD = ['', 'time', 'processor', 'speed', 'peak memory', 'events']
const against = (ours, peer) => (ours.failed || peer.failed ? null : { speed: peer.ms / ours.ms, memory: ours.rssMb / peer.rssMb })

function readers() {
  const python = ['python3', 'python'].find(p => run(p, ['--version']).status === 0) ?? null
  const reader = join(cache, 'out/run-reader.mjs')
  const peers = join(root, 'bench/peers.mjs')
  const points = { trace: [], snapshot: [] }
  const kept = []
  const part = (kind, size, file, n, others) => {
    const what = kind === 'trace' ? 'Chrome trace' : 'Memory snapshot'
    report.section(`${what}, ${figure(mb(file))} MB (the fastest of ${n} runs each)`)
    const results = contest(n, { 'neuron-workbench': () => measure([reader, kind, file]), ...others })
    const ours = results['neuron-workbench']
    report.table(
      READER_HEAD,
      Object.entries(results).map(([name, r]) => readerRow(name, r, mb(file))),
    )
    if (ours.failed) report.fail(`${what}, ${size} MB`, ours.failed)
    else {
      const ratios = {}
      for (const [name, peer] of Object.entries(results))
        if (peer !== ours) {
          const k = (ratios[name] = against(ours, peer))
          if (k) {
            report.line(`against ${name}: ${figure(k.speed)}x the speed, ${figure(k.memory)}x the memory`)
            if (peer.count !== ours.count) report.fail(`${what}, ${size} MB`, `${name} counts ${peer.count} events, we ${ours.count}`)
          }
        }
      const then = kind === 'trace' ? 'tracks' : 'replay'
      report.line(`then ${then}: ${ms(ours.preparedMs)}, peak memory with them ${figure(ours.preparedRssMb)} MB`)
      points[kind].push({ mb: mb(file), ms: ours.ms })
      kept.push({ kind, mb: mb(file), results, ratios })
      return { ours, ratios }
    }
    return { ours, ratios: {} }
  }

  const none = !existsSync(tools) ? `no folder ${tools} with the tools that make inputs (set NEURON_WORKBENCH_TOOLS)` : null
  if (none) report.skip(`readers: ${none}`)
  const trace = {}
  if (!none)
    for (const size of quick ? [25, 100] : [25, 100, 700]) {
      const file = make(`trace-${size}.json`, process.execPath, f => [join(tools, 'make_large_trace.mjs'), f, String(size)])
      trace[size] = part('trace', size, file, size > 400 ? 2 : 4, { 'JSON.parse': () => measure([peers, 'json-parse', file]) })
    }
  const snapshot = {}
  if (!none && !python) report.skip('snapshot reader: no Python, which makes its inputs')
  if (!none && python) {
    const sizes = { 30: 40_000, 121: 160_000, 485: 640_000 }
    for (const size of quick ? [30, 121] : [30, 121, 485]) {
      const made = f => [join(tools, 'make_large_snapshot.py'), f, String(sizes[size]), '60', '540']
      const file = make(`snapshot-${size}.pickle`, python, made)
      snapshot[size] = part('snapshot', size, file, size > 400 ? 2 : 3, {
        pickleparser: () => measure([peers, 'pickleparser', file]),
        'pickle.load': () => measure([join(root, 'bench/peers.py'), file], python),
      })
    }
  }
  const later = quick ? 'left out by --quick' : none || !python ? 'skipped' : ''
  const memory = r => (r && !r.ours.failed ? r.ours.rssMb : null)
  report.budget({
    what: 'Chrome trace of 100 MB against JSON.parse',
    value: trace[100]?.ratios['JSON.parse']?.speed ?? null,
    limit: 1,
    at: 'least',
    show: v => `${figure(v)}x`,
    note: none ? 'skipped' : '',
  })
  report.budget({
    what: 'Chrome trace of 700 MB, peak memory',
    value: memory(trace[700]),
    limit: 350,
    at: 'most',
    show: v => `${figure(v)} MB`,
    note: none ? 'skipped' : quick ? later : '',
  })
  report.budget({
    what: 'Snapshot of 121 MB against pickleparser',
    value: snapshot[121]?.ratios['pickleparser']?.speed ?? null,
    limit: 5,
    at: 'least',
    show: v => `${figure(v)}x`,
    note: none || !python ? 'skipped' : '',
  })
  if (snapshot[485]?.ratios['pickleparser'])
    report.budget({
      what: 'Snapshot of 485 MB against pickleparser',
      value: snapshot[485].ratios['pickleparser'].speed,
      limit: 5,
      at: 'least',
      show: v => `${figure(v)}x`,
    })
  report.budget({
    what: 'Snapshot of 485 MB, peak memory',
    value: memory(snapshot[485]),
    limit: 400,
    at: 'most',
    show: v => `${figure(v)} MB`,
    note: later,
  })
  // 4x the input in at most 4.5x the time; over another step k the same exponent: k ^ (log 4.5 / log 4).
  for (const [kind, p] of Object.entries(points))
    for (let i = 1; i < p.length; i++) {
      const k = p[i].mb / p[i - 1].mb
      report.budget({
        what: `Growth, ${kind} from ${figure(p[i - 1].mb)} to ${figure(p[i].mb)} MB (${figure(k)}x)`,
        value: p[i].ms / p[i - 1].ms,
        limit: k ** (Math.log(4.5) / Math.log(4)),
        at: 'most',
        show: v => `${figure(v)}x the time`,
      })
    }
  report.keep('readers', kept)
}

// ── the runtime's trace ──

function system() {
  const reader = join(cache, 'out/run-reader.mjs')
  const sizes = quick ? [30] : [30, 120]
  const kept = []
  let last = null
  for (const size of sizes) {
    const file = make(`ntrace-${size}.pb`, process.execPath, f => [join(cache, 'out/make-ntrace.mjs'), f, String(size)])
    report.section(`System trace (ntrace.pb), ${figure(mb(file))} MB (the fastest of 4 runs each)`)
    const results = contest(4, {
      'neuron-workbench': () => measure([reader, 'ntrace', file]),
      protobufjs: () => measure(['--max-old-space-size=6000', join(root, 'bench/peers.mjs'), 'protobufjs', file]),
    })
    const { 'neuron-workbench': ours, protobufjs: peer } = results
    report.table(
      READER_HEAD,
      Object.entries(results).map(([name, r]) => readerRow(name, r, mb(file))),
    )
    if (ours.failed || peer.failed) {
      report.fail(`System trace, ${size} MB`, ours.failed ?? peer.failed)
      continue
    }
    if (ours.count !== peer.count) report.fail(`System trace, ${size} MB`, `protobufjs counts ${peer.count} messages, we ${ours.count}`)
    const ratio = against(ours, peer)
    const million = ours.count / ours.ms / 1000
    report.line(
      `${figure(million)} M messages per second; against protobufjs (messages as objects, not paired): ${figure(ratio.speed)}x the speed (on the processor ${figure(peer.cpuMs / ours.cpuMs)}x), ${figure(ratio.memory)}x the memory`,
    )
    report.line(`then tracks: ${ms(ours.preparedMs)}, peak memory with them ${figure(ours.preparedRssMb)} MB`)
    last = { ours, ratio, speed: mb(file) / (ours.ms / 1000) }
    kept.push({ mb: mb(file), results, ratio })
  }
  report.budget({
    what: 'System trace against protobufjs (whole file to objects)',
    value: last?.ratio.speed ?? null,
    limit: 4,
    at: 'least',
    show: v => `${figure(v)}x`,
    note: last ? `processor ${ms(last.ours.cpuMs)}` : '',
  })
  report.budget({ what: 'System trace, speed', value: last?.speed ?? null, limit: 100, at: 'least', show: v => `${figure(v)} MB/s` })
  for (let i = 1; i < kept.length; i++) {
    const k = kept[i].mb / kept[i - 1].mb
    report.budget({
      what: `Growth, system trace from ${figure(kept[i - 1].mb)} to ${figure(kept[i].mb)} MB (${figure(k)}x)`,
      value: kept[i].results['neuron-workbench'].ms / kept[i - 1].results['neuron-workbench'].ms,
      limit: k ** (Math.log(4.5) / Math.log(4)),
      at: 'most',
      show: v => `${figure(v)}x the time`,
    })
  }
  report.keep('system', kept)
}

// ── device memory ──

function deviceMemory() {
  const events = quick ? 500_000 : 2_000_000
  const h = least([join(cache, 'out/hbm.mjs'), String(events)], 'full')
  report.section(`Queries of an HBM with ${events.toLocaleString('en-US')} events (the quickest of 3 processes)`)
  if (h.failed) return report.fail('queries of device memory', h.failed)
  const count = v => v.toLocaleString('en-US')
  report.table(QUERY_HEAD, [
    [`picture, all of it (${h.width} px)`, ...cells(h.full), `scan per pixel column ${ms(h.scan)}, ${figure(h.scan / h.full.p50)}x`],
    ['picture, zoomed 2x to 65,536x', ...cells(h.zoomed), ''],
    ['figures at an instant', ...cells(h.at), ''],
    [
      `page of the live allocations at a new instant, by size`,
      ...cells(h.livePage),
      `scan ${ms(h.liveScan)}, ${figure(h.liveScan / h.livePage.p50)}x`,
    ],
    ['  by any column', ...cells(h.sorted), ''],
    ['  filtered by two words', ...cells(h.filtered), ''],
    ['  another page of the same instant', ...cells(h.pages), ''],
  ])
  report.line(
    `${count(h.allocations)} allocations, about ${count(h.live)} live at a time, ${h.categories} categories; index made with the model in ${ms(h.prepare)}, first picture ${ms(h.first)}, peak memory ${figure(h.rssMb)} MB`,
  )
  const at = quick ? 'at 0.5 M events (--quick)' : 'at 2 M events'
  const budget = (what, s, limit = 2) =>
    report.budget({ what: `${what}, p99 ${at}`, value: s.p99, limit, at: 'most', show: ms, note: `on the clock ${ms(s.p99Clock)}` })
  // A picture answers for every pixel column of a panel at once and is asked for once a frame; what is under the pointer is a query.
  budget('Picture of an HBM, within a frame', h.full, 16)
  budget('Picture of an HBM, zoomed, within a frame', h.zoomed, 16)
  budget('HBM at an instant', h.at)
  budget('Live allocations at an instant, by size', h.livePage)
  report.keep('deviceMemory', h)
}

// ── queries ──

/** The quickest of three processes: other programs only ever add. */
function least(argv, of) {
  const runs = Array.from({ length: 3 }, () => measure(argv))
  return runs.find(r => r.failed) ?? runs.reduce((a, b) => (b[of].p99 < a[of].p99 ? b : a))
}
const cells = s => [ms(s.p50), ms(s.p99), ms(s.p99Clock)]
const QUERY_HEAD = ['work of the thread', 'p50', 'p99', 'p99 on the clock', 'peer']

function queries() {
  const n = quick ? 500_000 : 2_000_000
  const q = least([join(cache, 'out/queries.mjs'), String(n)], 'window')
  report.section(`Queries of a trace of ${n.toLocaleString('en-US')} slices on 100 threads`)
  if (q.failed) report.fail('queries of a trace', q.failed)
  else {
    const peer = `scan of these tracks ${ms(q.scan.p50)}, ${figure(q.scan.p50 / q.window.p50)}x`
    report.table(QUERY_HEAD, [
      [`tiles of a window (one request, ${q.width} px, all zooms)`, ...cells(q.window), peer],
      ['details of a slice', ...cells(q.details), ''],
      ['what lies under the pointer', ...cells(q.hit), ''],
    ])
    report.line(
      `at most ${q.most.toLocaleString('en-US')} slices in an answer, ${figure(q.bytes / 1e3)} kB on average; first query ${ms(q.first)}, tracks built in ${ms(q.build)}, overview ${ms(q.overview)}, peak memory ${figure(q.rssMb)} MB`,
    )
  }
  const events = quick ? 400_000 : 1_700_000
  const h = least([join(cache, 'out/history.mjs'), String(events)], 'zoomed')
  report.section(`Queries of an allocator history of ${events.toLocaleString('en-US')} events`)
  if (h.failed) report.fail('queries of an allocator history', h.failed)
  else {
    const peer = `scan per pixel column ${ms(h.scan)}, ${figure(h.scan / h.full.p50)}x`
    report.table(QUERY_HEAD, [
      [`picture, all of it (${h.width} x ${h.height} px)`, ...cells(h.full), peer],
      ['picture, zoomed 2x to 16,384x', ...cells(h.zoomed), ''],
      ['totals at an instant', ...cells(h.at), ''],
      ['list of the smaller ones of a column', ...cells(h.smaller), ''],
      ['details of an allocation', ...cells(h.details), ''],
      ['what lies under the pointer', ...cells(h.hit), ''],
    ])
    report.line(
      `${h.allocations.toLocaleString('en-US')} allocations; first picture ${ms(h.first)}, replay ${ms(h.replay)}, owners ${ms(h.owners)}, peak memory ${figure(h.rssMb)} MB`,
    )
  }
  const at = quick ? 'at 0.5 M slices (--quick)' : 'at 2 M slices'
  const budget = (what, s) =>
    report.budget({ what, value: s?.p99 ?? null, limit: 2, at: 'most', show: ms, note: s ? `on the clock ${ms(s.p99Clock)}` : '' })
  budget(`Tiles of a window, p99 ${at}`, q.window)
  budget(`Details of a slice, p99 ${at}`, q.details)
  budget(`Hit test of the timeline, p99 ${at}`, q.hit)
  budget('Hit test of the allocator picture, p99', h.hit)
  report.keep('queries', { trace: q, history: h })
}

// ── the window ──

/** Runs the window's measurements and answers the figures by part. */
async function windowParts() {
  const big = ['trace-700.json', 'trace-100.json'].map(f => join(cache, f)).filter((f, i) => existsSync(f) && !(quick && i === 0))
  const file = big[0] ?? null
  const argv = [join(cache, 'out/window.mjs'), root, cache, ...(quick ? ['--quick'] : []), ...(file ? ['--big', file] : [])]
  const child = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let err = ''
  child.stderr.on('data', d => {
    err += d
    process.stderr.write(d)
  })
  const ended = new Promise(ok => child.once('exit', (code, signal) => ok(code ?? signal)))
  const by = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const { part, ...figures } = JSON.parse(line)
    by[part] = figures
  }
  const code = await ended
  return { by, failed: code === 0 ? null : lastLine(err) || `it ended with ${code}` }
}

async function theWindow() {
  await ensureBuilt()
  report.section('The window in Chromium, through serve')
  const { by, failed } = await windowParts()
  if (failed) report.fail('the window', failed)
  const { sample, '2m': two, '10m': ten, cancel } = by
  const ok = p => p !== undefined && !p.failed && !p.skipped
  for (const [name, p] of Object.entries(by)) if (p.failed) report.fail(`the window, ${name}`, p.failed)
  if (ok(sample))
    report.line(
      `Sample profile, start of serve to both panels drawn: ${ms(sample.total)} (until the address ${ms(sample.serve)}, then the page ${ms(sample.page)}); median ${ms(sample.median)}, all ${sample.runs.join(', ')} ms`,
    )
  for (const p of [two, ten].filter(ok)) {
    report.line('')
    report.line(`Trace of ${p.slices.toLocaleString('en-US')} slices with a snapshot, 1440 x 900`)
    report.table(
      ['main-thread work', 'p50', 'p95', 'max'],
      [
        [`pan and zoom, ${p.frames} frames, on the clock`, ms(p.wall.p50), ms(p.wall.p95), ms(p.wall.max)],
        ['  on the processor', ms(p.cpu.p50), ms(p.cpu.p95), ms(p.cpu.max)],
      ],
    )
    report.table(
      ['round trip through the socket', 'p50', 'p99', 'max'],
      [
        ['3 tiles of 8 tracks, all zooms', ...['p50', 'p99', 'max'].map(k => ms(p.asked.tiles[k]))],
        ['details of a slice with its args', ...['p50', 'p99', 'max'].map(k => ms(p.asked.details[k]))],
        [`statistics by name, everything (first ${ms(p.asked.statsFirst)})`, ...['p50', 'p99', 'max'].map(k => ms(p.asked.statsAll[k]))],
        ['statistics by name, 30 % of the time', ...['p50', 'p99', 'max'].map(k => ms(p.asked.statsRange[k]))],
      ],
    )
    report.line(
      `over the transport: ${figure(p.bytesPerFrame / 1e3)} kB per frame while panning and zooming through what was not there before`,
    )
    report.line(
      `peer: a frame of ${p.naive.slices.toLocaleString('en-US')} slices with one fillRect each, in the same page: ${ms(p.naive.ms)}, ${figure(p.naive.ms / p.wall.p50)}x a frame of ours (p50)`,
    )
    report.line(
      `loading: longest task ${ms(p.longest.wall)} (on the processor ${ms(p.longest.cpu)}), ${p.over50} tasks over 50 ms; first picture after ${ms(p.pictureMs)}, all read after ${ms(p.readMs)}`,
    )
    report.line(
      `page: ${figure(p.heapMb)} MB of script memory at the end (${figure(p.heapBeforeMb)} before panning); host: peak ${p.hostMb === null ? 'not told by this system' : `${figure(p.hostMb)} MB`}`,
    )
  }
  if (ok(two) && ok(ten)) report.line(`5x the slices: ${figure(ten.heapMb / two.heapMb)}x the script memory of the page`)
  if (cancel?.skipped) report.skip(`cancel: no trace of 100 MB or more in ${cache} (the readers' part makes it)`)
  if (ok(cancel)) {
    report.line('')
    report.line(
      `Cancel of a reading of ${figure(cancel.bytes / 1e6)} MB, ${cancel.told.length} times: told after at most ${ms(cancel.toldMax)}, the reader's thread gone after at most ${cancel.goneMax === null ? '(not told by this system)' : ms(cancel.goneMax)}`,
    )
  }
  const frame = (what, p, limit, note) =>
    report.budget({
      what: `Pan and zoom, main-thread work of a frame, p95 at ${what}`,
      value: ok(p) ? p.wall.p95 : null,
      limit,
      at: 'most',
      show: ms,
      note: ok(p) ? `on the processor ${ms(p.cpu.p95)}` : note,
    })
  frame('2 M events', two, 16, '')
  frame('10 M events', ten, 33, quick ? 'left out by --quick' : '')
  for (const [what, p] of [
    ['2 M', two],
    ['10 M', ten],
  ])
    if (ok(p))
      report.budget({
        what: `Longest main-thread task while loading, ${what} events`,
        value: p.longest.wall,
        limit: 50,
        at: 'most',
        show: ms,
        note: `on the processor ${ms(p.longest.cpu)}`,
      })
  report.budget({
    what: 'Statistics of a range over 2 M events',
    value: ok(two) ? two.asked.statsAll.p50 : null,
    limit: 200,
    at: 'most',
    show: ms,
    note: ok(two) ? `everything, p50; the first one ${ms(two.asked.statsFirst)}; 30 % of it ${ms(two.asked.statsRange.p50)}` : '',
  })
  if (!ok(two)) report.budget({ what: 'Longest main-thread task while loading', value: null, limit: 50, at: 'most', show: ms })
  report.budget({
    what: `Cancel of a reading${ok(cancel) ? ` of ${figure(cancel.bytes / 1e6)} MB` : ''}, until its thread is gone`,
    value: ok(cancel) ? (cancel.goneMax ?? cancel.toldMax) : null,
    limit: 200,
    at: 'most',
    show: ms,
    note: cancel?.skipped ? 'skipped' : '',
  })
  report.budget({
    what: 'Sample profile, start to first picture',
    value: ok(sample) ? sample.total : null,
    limit: 2000,
    at: 'most',
    show: ms,
    note: ok(sample) ? `median of ${sample.runs.length}: ${ms(sample.median)}` : '',
  })
  report.keep('window', by)
}

// ── all of it ──

const machine = () =>
  `${cpus().length} x ${cpus()[0]?.model.trim() || 'processor'}, ${figure(totalmem() / 2 ** 30)} GB, load ${loadavg()
    .map(l => l.toFixed(1))
    .join(' ')}`
const before = machine()
process.stdout.write(`Node ${process.version}, ${before}\n`)

await build({
  root,
  logLevel: 'error',
  configFile: false,
  build: {
    ssr: true,
    outDir: join(cache, 'out'),
    emptyOutDir: true,
    rolldownOptions: {
      input: Object.fromEntries(
        ['run-reader.ts', 'make-ntrace.ts', 'queries.ts', 'history.ts', 'hbm.ts', 'ui/run.ts'].map(f => [
          f === 'ui/run.ts' ? 'window' : f.slice(0, -3),
          join(root, 'bench', f),
        ]),
      ),
      output: { entryFileNames: '[name].mjs' },
    },
  },
})

const systemAndMemory = () => {
  system()
  deviceMemory()
}
const WORK = { readers, system: systemAndMemory, queries, window: theWindow }
for (const part of PARTS)
  if (parts.includes(part))
    try {
      await WORK[part]()
    } catch (e) {
      report.fail(part, e instanceof Error ? e.message : String(e))
    }
report.end()
process.stdout.write(
  `\nLoad of the machine now: ${loadavg()
    .map(l => l.toFixed(1))
    .join(' ')}. Times are worth little while other programs keep it busy.\n`,
)
if (json !== null)
  writeFileSync(
    resolve(process.env['INIT_CWD'] ?? process.cwd(), json),
    `${JSON.stringify({ node: process.version, machine: before, quick, parts, ...report.figures, budgets: report.budgets, skipped: report.skipped, failures: report.failures }, null, 2)}\n`,
  )
process.exitCode = report.failures.length ? 1 : 0
