/** `npm run bench [-- --quick]`: readers against named peers, queries and growth, as ratios with peak memory. See bench/README.md. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const root = resolve(import.meta.dirname, '..')
const tools = resolve(root, process.env['NEURON_WORKBENCH_TOOLS'] ?? '../shared/tools')
const cache = join(root, '.cache/bench')
const quick = process.argv.includes('--quick')
mkdirSync(cache, { recursive: true })

const run = (cmd, args) => spawnSync(cmd, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
const python = ['python3', 'python'].find(p => run(p, ['--version']).status === 0) ?? null

await build({
  root,
  logLevel: 'error',
  configFile: false,
  build: {
    ssr: true,
    outDir: join(cache, 'out'),
    emptyOutDir: true,
    rolldownOptions: {
      input: { 'run-reader': join(root, 'bench/run-reader.ts'), queries: join(root, 'bench/queries.ts') },
      output: { entryFileNames: '[name].mjs' },
    },
  },
})

/** Runs one measured process; null with the reason when it failed. */
function measure(args, cmd = process.execPath) {
  const p = run(cmd, args)
  const line = p.stdout.trim().split('\n').at(-1)
  if (p.status !== 0 || !line) return { failed: (p.stderr || `exit ${p.status ?? p.signal}`).trim().split('\n').at(-1).slice(0, 120) }
  return JSON.parse(line)
}

/** The best of `n`: noise only ever adds. */
const best = (n, f) => Array.from({ length: n }, f).reduce((a, b) => (a.failed || (b.ms !== undefined && b.ms < a.ms) ? b : a))

const PY = `import pickle,sys,time,resource,json
t=time.perf_counter()
with open(sys.argv[1],'rb') as f: s=pickle.load(f)
ms=(time.perf_counter()-t)*1e3
print(json.dumps({'ms':ms,'count':sum(len(x) for x in s['device_traces']),'rssMb':resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024}))`

const mb = f => statSync(f).size / 1e6
const fmt = (v, d = 2) => v.toFixed(d)
const say = s => process.stdout.write(s + '\n')
const row = (name, r, size) =>
  say(
    r.failed
      ? `  ${name.padEnd(26)} failed: ${r.failed}`
      : `  ${name.padEnd(26)} ${fmt(r.ms / 1000).padStart(7)} s ${fmt(size / (r.ms / 1000), 0).padStart(6)} MB/s  peak ${fmt(r.rssMb, 0).padStart(5)} MB  ${r.count.toLocaleString('en-US')} events`,
  )
const ratio = (ours, peer) =>
  ours.failed || peer.failed ? 'not measured' : `${fmt(peer.ms / ours.ms)}x the speed, ${fmt(ours.rssMb / peer.rssMb)}x the memory`
const verdict = (ok, text) => say(`  ${ok ? 'within' : 'MISSED'}  ${text}`)

function make(name, cmd, args) {
  const file = join(cache, name)
  if (!existsSync(file)) {
    const p = run(cmd, args(file))
    if (p.status !== 0) throw new Error(`could not make ${name}: ${p.stderr}`)
  }
  return file
}

const reader = join(cache, 'out/run-reader.mjs')
const peers = join(root, 'bench/peers.mjs')
if (!existsSync(tools)) say(`No folder ${tools} (set NEURON_WORKBENCH_TOOLS): the readers are not measured.`)
else {
  const growth = { trace: [], snapshot: [] }
  for (const size of quick ? [25, 100] : [25, 100, 700]) {
    const file = make(`trace-${size}.json`, process.execPath, f => [join(tools, 'make_large_trace.mjs'), f, String(size)])
    say(`\nChrome trace, ${fmt(mb(file), 1)} MB`)
    const n = size > 400 ? 1 : 3
    const ours = best(n, () => measure([reader, 'trace', file]))
    const peer = best(n, () => measure([peers, 'json-parse', file]))
    row('neuron-workbench', ours, mb(file))
    row('JSON.parse', peer, mb(file))
    say(`  against JSON.parse: ${ratio(ours, peer)}`)
    growth.trace.push({ mb: mb(file), ms: ours.ms })
    if (size === 100 && !peer.failed) verdict(peer.ms / ours.ms >= 1, 'budget: at least the speed of JSON.parse')
    if (size === 700) verdict(ours.rssMb <= 350, `budget: 700 MB in at most 350 MB of memory (${fmt(ours.rssMb, 0)} MB)`)
  }
  if (!python) say('\nNo python3: the snapshot inputs cannot be generated, so the snapshot reader is not measured.')
  else
    for (const [size, allocations] of quick
      ? [
          [30, 40_000],
          [121, 160_000],
        ]
      : [
          [30, 40_000],
          [121, 160_000],
          [485, 640_000],
        ]) {
      const file = make(`snapshot-${size}.pickle`, python, f => [
        join(tools, 'make_large_snapshot.py'),
        f,
        String(allocations),
        '60',
        '540',
      ])
      say(`\nMemory snapshot, ${fmt(mb(file), 1)} MB`)
      const n = size > 400 ? 1 : 3
      const ours = best(n, () => measure([reader, 'snapshot', file, 'replay']))
      const peer = best(size > 400 ? 1 : 2, () => measure([peers, 'pickleparser', file]))
      const py = best(size > 400 ? 1 : 2, () => measure(['-c', PY, file], python))
      row('neuron-workbench', ours, mb(file))
      if (!ours.failed) say(`  ${'  replay'.padEnd(26)} ${fmt(ours.replayMs / 1000).padStart(7)} s`)
      row('pickleparser', peer, mb(file))
      row('Python pickle.load', py, mb(file))
      say(`  against pickleparser: ${ratio(ours, peer)}`)
      say(`  against pickle.load:  ${ratio(ours, py)}`)
      growth.snapshot.push({ mb: mb(file), ms: ours.ms })
      if (size === 121 && !peer.failed) verdict(peer.ms / ours.ms >= 5, 'budget: at least 5x the speed of pickleparser from 121 MB')
      if (size === 485) verdict(ours.rssMb <= 400, `budget: 485 MB in at most 400 MB of memory (${fmt(ours.rssMb, 0)} MB)`)
    }
  for (const [kind, points] of Object.entries(growth))
    for (let i = 1; i < points.length; i++) {
      const k = points[i].mb / points[i - 1].mb
      const t = points[i].ms / points[i - 1].ms
      // Budget: 4x the input in at most 4.5x the time, scaled to the step at hand.
      verdict(t <= k * 1.125, `budget: ${kind} growth, ${fmt(k, 1)}x the input in ${fmt(t, 1)}x the time`)
    }
}
say('\nQueries')
const q = measure([join(cache, 'out/queries.mjs'), String(2e6)])
if (q.failed) say(`  failed: ${q.failed}`)
else {
  say(
    `  2 M slices: tracks built in ${fmt(q.buildMs / 1000)} s; slices of a window on 20 tracks, 1400 px: p50 ${fmt(q.p50)} ms, p99 ${fmt(q.p99)} ms; peak ${fmt(q.rssMb, 0)} MB`,
  )
  verdict(q.p99 <= 2, 'budget: window query p99 at most 2 ms at 2 M events')
}
