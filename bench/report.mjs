/** What the benchmark prints: tables, a line per budget at the end, and the same figures as one document for `--json`. */

const say = line => process.stdout.write(`${line}\n`)

/** 1234.5 with as many digits as mean something. */
export const figure = v => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2))
export const ms = v => (v < 0.01 ? `${(v * 1000).toFixed(1)} µs` : v >= 10_000 ? `${figure(v / 1000)} s` : `${figure(v)} ms`)

export class Report {
  /** @type {{ what: string, text: string, verdict: 'within' | 'MISSED' | 'not measured' | 'not built yet', value: number | null, limit: number | null, note: string }[]} */
  budgets = []
  /** Parts that could not be measured and should have been. */
  failures = []
  skipped = []
  figures = {}

  section(title) {
    say(`\n${title}`)
  }

  line(text) {
    say(`  ${text}`)
  }

  /** Columns are aligned: the first to the left, the others to the right. */
  table(head, rows) {
    const all = [head, ...rows]
    const width = head.map((_, c) => Math.max(...all.map(r => String(r[c] ?? '').length)))
    for (const [i, r] of all.entries()) {
      say(`  ${r.map((v, c) => (c === 0 ? String(v).padEnd(width[c]) : String(v ?? '').padStart(width[c]))).join('  ')}`.trimEnd())
      if (i === 0) say(`  ${width.map(w => '─'.repeat(w)).join('  ')}`)
    }
  }

  /** Keeps figures for the document. */
  keep(name, value) {
    this.figures[name] = value
  }

  skip(reason) {
    this.skipped.push(reason)
    say(`\nSkipped: ${reason}`)
  }

  fail(what, reason) {
    this.failures.push({ what, reason })
    say(`  NOT MEASURED  ${what}: ${reason}`)
  }

  /**
   * A budget: `limit` is the least (`at: 'least'`) or the most that `value` may be; null is "not measured".
   * @param {{ what: string, value: number | null, limit: number, at: 'least' | 'most', show?: (v: number) => string, note?: string }} b
   */
  budget({ what, value, limit, at, show = figure, note = '' }) {
    const known = value !== null && Number.isFinite(value)
    const ok = known && (at === 'least' ? value >= limit : value <= limit)
    const verdict = !known ? 'not measured' : ok ? 'within' : 'MISSED'
    const text = `${what}: ${known ? `${show(value)}, ` : ''}budget ${at === 'least' ? '>=' : '<='} ${show(limit)}${note ? ` (${note})` : ''}`
    this.budgets.push({ what, text, verdict, value: known ? value : null, limit, note })
  }

  /** A budget whose subject does not exist yet. */
  notBuilt(what) {
    this.budgets.push({ what, text: what, verdict: 'not built yet', value: null, limit: null, note: '' })
  }

  end() {
    this.section('Budgets')
    const width = Math.max(...this.budgets.map(b => b.verdict.length))
    for (const b of this.budgets) say(`  ${b.verdict.padEnd(width)}  ${b.text}`)
    for (const s of this.skipped) say(`  Skipped: ${s}`)
    for (const f of this.failures) say(`  NOT MEASURED  ${f.what}: ${f.reason}`)
  }
}
