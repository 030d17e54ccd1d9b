/** `export PATH --out FILE`: what the Export dialog saves, made without a window. */
import { realpath, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { version } from '../../../package.json'
import { systemCode, systemReason } from '../../formats/system-error'
import { gatherSheet, type GatheredSheet } from '../../paint/sheet/gather'
import type { PixelBox } from '../../paint/sheet/layout'
import { paintSheet } from '../../paint/sheet/paint'
import { sheetSvg, svgSurface } from '../../paint/sheet/svg'
import { defaultY } from '../../paint/sheet/hbm'
import type { Context2D, Theme } from '../../paint/theme'
import { DEFAULT_LAYOUT } from '../../paint/timeline'
import { discover } from '../../session/discover'
import { RequestError } from '../../shared/api'
import type { Catalog } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import type { Io, Outcome } from '../output'
import { openCanvas, type Picture } from './canvas'
import { choose, chooseSession, Refused, type Chosen } from './choose'
import { writeJson } from './json'
import { scaleOf, type ExportOptions, type View } from './options'
import { openSession } from './session'
import { cliTheme } from './theme'

export interface ExportDocument {
  /** The written file. */
  readonly out: string
  readonly format: 'png' | 'svg'
  readonly view: View
  readonly theme: 'light' | 'dark'
  readonly width: number
  readonly height: number
  /** Pixels: x0 is fromNs, x1 (exclusive) toNs; of the allocator y1 is 0 bytes and y0 maxBytes, of the timeline they hold its rows. */
  readonly plot: PixelBox
  /** Unix ns, decimal; null where the times are none. */
  readonly fromNs: string | null
  readonly toNs: string | null
  /** Top of the Y axis; null for the timeline. */
  readonly maxBytes: number | null
  readonly axis: 'time' | 'event'
  /** On the event axis: first event (-1 the start state) and the first one that is not shown; null on the time axis. */
  readonly fromEvent: number | null
  readonly toEvent: number | null
  readonly session: string
  readonly rank: number | null
  readonly device: number | null
  readonly diagnostics: readonly Diagnostic[]
}

/** Writes the file of `path` (absolute). Nothing is written when it cannot be made. */
export async function exportCommand(path: string, o: ExportOptions, io: Io): Promise<Outcome> {
  const out = resolve(io.cwd, o.out)
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const say = (severity: Diagnostic['severity'], code: string, message: string, meaning: string, action: string): number =>
    diagnostics.push({ severity, code, file: severity === 'error' ? o.out : '.', offset: null, message, meaning, action, count: 1 })
  const fail = (code: string, message: string, action: string): Outcome => {
    say('error', code, message, 'Nothing was written.', action)
    return { document: { diagnostics }, read: false }
  }
  try {
    await checkTarget(out, catalog)
    const { session, others } = chooseSession(catalog.sessions, o)
    const opened = await openSession(catalog, session, io)
    diagnostics.push(...opened.diagnostics)
    const chosen = choose(opened.view, o.format === 'json' ? { ...o, view: 'timeline' } : o)
    if (others.length > 0)
      say(
        'info',
        'other-sessions',
        `Of ${others.length + 1} sessions the first is ${o.format === 'json' ? 'written' : 'drawn'}: ${session.dir}.`,
        `Left out: ${others.slice(0, 20).join(', ')}${others.length > 20 ? ` and ${others.length - 20} more` : ''}.`,
        'Choose with --session or --rank.',
      )
    for (const note of chosen.notes) say('info', 'export-choice', `${note}.`, 'The file shows what its title says.', 'None needed.')
    const tell = (note: string): number =>
      say('info', 'export-note', note, 'The file is not one to one what the sources hold.', 'Choose a shorter range where this matters.')
    const unwritable = (e: unknown): Outcome => {
      if (systemCode(e) === '') throw e
      return fail('file-unwritable', `${o.out} cannot be written: ${systemReason(e)}.`, 'Choose another --out.')
    }
    if (o.format === 'json')
      return await writeJson(out, o, session, opened, chosen, tell).then(d => ({ document: { ...d, diagnostics }, read: true }), unwritable)
    const canvas = await openCanvas().catch((e: unknown) => {
      const why = e instanceof Error ? e.message.split('\n')[0] : String(e)
      throw new Refused(
        'no-canvas',
        `@napi-rs/canvas cannot be loaded: ${why}.`,
        'Install the package anew on this system; it brings a binary for each platform.',
      )
    })
    if (canvas.missingFonts.length > 0)
      say(
        'warning',
        'font-missing',
        `Bundled fonts are missing: ${canvas.missingFonts.join(', ')}.`,
        'Text is drawn in a font of the system.',
        'Install the package anew.',
      )
    const scale = scaleOf(o.width, o.height)
    const theme = cliTheme(o.theme)
    const svg = o.format === 'svg'
    const made = await gatherSheet(opened.ask, svg ? svgSurface(canvas.ctx) : canvas, theme, {
      view: opened.view,
      catalog: session,
      root: basename(path) || path,
      group: chosen.group,
      window: chosen.window,
      extent: chosen.extent,
      trace: chosen.view === 'timeline' || chosen.view === 'both',
      tracks: { ...DEFAULT_LAYOUT, grouping: o.grouping, filter: o.filter ?? '' },
      vector: svg,
      traces: chosen.traces,
      // As the screen shows it before anything is changed there.
      memory: chosen.memory && {
        ...chosen.memory,
        options: { reserved: true, allocated: false, startState: true, peak: true, only: null },
        yMax: null,
        pinned: null,
      },
      hbm: chosen.hbm && {
        info: chosen.hbm,
        grouping: 'family',
        options: { capacity: true, peak: true, reserved: false, ooms: true },
        y: defaultY(chosen.hbm),
      },
      width: o.width,
      height: o.height,
      scale,
      legend: true,
      sources: true,
      program: `Neuron Workbench ${version}`,
    })
    const { data, notes } = svg
      ? vector(made, theme, canvas)
      : { data: await canvas.png(made.width, made.height, ctx => paint(ctx, made, theme, scale)), notes: made.notes }
    for (const note of notes) tell(note)
    try {
      await writeFile(out, data)
    } catch (e) {
      return unwritable(e)
    }
    return { document: describe(out, o, session.dir, made, chosen, diagnostics), read: true }
  } catch (e) {
    if (e instanceof Refused) return fail(e.code, e.message, e.action)
    if (e instanceof RequestError) return fail('export-refused', e.message, 'Choose a smaller --width and --height.')
    throw e
  }
}

function paint(ctx: Context2D, made: GatheredSheet, theme: Theme, scale: number): void {
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  paintSheet(ctx, theme, made.sheet)
}

function vector(made: GatheredSheet, theme: Theme, canvas: Picture): { readonly data: string; readonly notes: readonly string[] } {
  const { text, notes } = sheetSvg(made, theme, canvas.ctx, canvas.base64)
  return { data: text, notes }
}

/** Before anything long is done: the folder is there, and nothing of the profile is overwritten. */
async function checkTarget(out: string, catalog: Catalog): Promise<void> {
  try {
    const folder = await realpath(dirname(out))
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
  } catch (e) {
    if (systemCode(e) === '') throw e
    throw new Refused(
      'file-unwritable',
      `${dirname(out)} is no folder that can be written to: ${systemReason(e)}.`,
      'Choose another --out.',
    )
  }
  const there = await stat(out).catch(() => null)
  if (!there) return
  if (there.isDirectory()) throw new Refused('file-unwritable', `${out} is a folder.`, 'Give the name of a file to --out.')
  // A write to one waits until somebody reads.
  if (there.isFIFO() || there.isSocket())
    throw new Refused('file-unwritable', `${out} is a ${there.isFIFO() ? 'pipe' : 'socket'}.`, 'Give the name of a file to --out.')
  for (const s of catalog.sessions)
    for (const f of s.files) {
      const file = await stat(join(catalog.root, f.path)).catch(() => null)
      if (file && file.dev === there.dev && file.ino === there.ino)
        throw new Refused('file-unwritable', `${out} is a file of the profile and is not overwritten.`, 'Choose another --out.')
    }
}

function describe(
  out: string,
  o: ExportOptions,
  session: string,
  made: GatheredSheet,
  c: Chosen,
  diagnostics: readonly Diagnostic[],
): ExportDocument {
  const onEvents = c.memory?.axis === 'event'
  return {
    out,
    format: o.format === 'svg' ? 'svg' : 'png',
    view: c.view,
    theme: o.theme,
    width: made.width,
    height: made.height,
    plot: made.plot,
    fromNs: c.unix?.from.toString() ?? null,
    toNs: c.unix?.to.toString() ?? null,
    maxBytes: (made.sheet.memory ?? made.sheet.hbm)?.scale.max ?? null,
    axis: onEvents ? 'event' : 'time',
    fromEvent: onEvents ? c.window.start : null,
    toEvent: onEvents ? c.window.end : null,
    session,
    rank: made.rank,
    device: c.memory?.allocator.device ?? c.hbm?.device ?? null,
    diagnostics,
  }
}
