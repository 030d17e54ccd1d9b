/** Export PNG: the preview is the picture that is saved. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { fileSize, num } from '../../../shared/format'
import { useShownAllocator } from '../memory/MemoryPanel'
import { Icon } from '../shell/icons'
import { Modal } from '../shell/Modal'
import { notify } from '../shell/ui'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { makeTheme, useTheme } from '../theme'
import { choices, prepare, rangeText, type ExportOptions, type What } from './prepare'
import { drawSheet, savePng, toPng } from './save'
import './export.css'

interface Ready {
  readonly key: string
  readonly name: string
  /** The encoded picture: encoding a large one takes a while and runs when the page is idle. */
  readonly png: Promise<Blob>
  readonly bytes: number | null
  readonly width: number
  readonly height: number
}

export function ExportDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const view = useSession(s => s.view)
  const info = useShownAllocator()
  const current = useTheme().name
  const window = useView(s => s.window)
  const offered = choices(view, info)
  const [what, setWhat] = useState<What>(offered[0]?.what ?? 'both')
  const [theme, setTheme] = useState<'dark' | 'light'>(current === 'dark' ? 'light' : 'dark')
  const [options, setOptions] = useState<Omit<ExportOptions, 'what'>>({ scale: 2, legend: true, sources: true, pinned: true })
  const [ready, setReady] = useState<Ready | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const stage = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const key = JSON.stringify([what, theme, options, view?.session, view?.version, info?.id, window])

  useEffect(() => {
    let current = true
    const run = async (): Promise<void> => {
      const s = stage.current
      const c = canvas.current
      if (!s || !c) return
      const t = makeTheme(s)
      // A face that is first used here has to be there before text is measured.
      await document.fonts.ready
      const made = await prepare(info, t, { ...options, what })
      if (!current) return
      drawSheet(c, t, made, options.scale)
      const png = toPng(c)
      const { name } = made
      setError(null)
      setReady({ key, name, png, bytes: null, width: c.width, height: c.height })
      const { size } = await png
      if (current) setReady(r => (r?.png === png ? { ...r, bytes: size } : r))
    }
    run().catch((e: unknown) => current && setError(e instanceof Error ? e.message : String(e)))
    return () => {
      current = false
    }
    // `key` holds all that the picture depends on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key])

  const done = ready?.key === key ? ready : null
  const save = async (): Promise<void> => {
    if (!done) return
    setSaving(true)
    try {
      const saved = await savePng(await done.png, done.name)
      if (saved === null) return
      notify({ icon: 'check', title: 'Picture saved', detail: saved })
      onClose()
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e))
    } finally {
      setSaving(false)
    }
  }
  const set = (o: Partial<typeof options>): void => setOptions({ ...options, ...o })
  const check = (name: 'legend' | 'sources' | 'pinned', label: string): ReactElement => (
    <label className="chk">
      <input type="checkbox" checked={options[name]} onChange={e => set({ [name]: e.target.checked })} />
      {label}
    </label>
  )
  return (
    <Modal title="Export PNG" className="exp" onClose={onClose}>
      <div className="grid2">
        <div className="stage">
          <div className="sheet-img" data-theme={theme} ref={stage}>
            <canvas
              ref={canvas}
              role="img"
              aria-label="Preview of the picture"
              data-testid="export-preview"
              data-ready={done ? `${done.width}x${done.height}` : undefined}
            />
          </div>
        </div>
        <div className="opts">
          <Pick label="Views" value={what} onChange={v => setWhat(v as What)} options={offered.map(o => [o.what, o.label])} />
          <div>
            <span className="lab">Range</span>
            <span className="num val">{rangeText(window)}</span>
          </div>
          <Pick
            label="Theme"
            value={theme}
            onChange={v => setTheme(v as 'dark' | 'light')}
            options={[
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
          />
          <Pick
            label="Size"
            value={String(options.scale)}
            onChange={v => set({ scale: v === '1' ? 1 : 2 })}
            options={([1, 2] as const).map(s => [
              String(s),
              done ? `${num((done.width / options.scale) * s)} × ${num((done.height / options.scale) * s)} px (${s}×)` : `${s}×`,
            ])}
          />
          <div className="col" role="group" aria-label="In the picture">
            <span className="lab">In the picture</span>
            {check('legend', 'Legend')}
            {check('sources', 'Source files')}
            {check('pinned', 'Pinned allocation')}
          </div>
        </div>
      </div>
      <div className="bot">
        {error ? (
          <span className="err ell" role="alert">
            <Icon name="error" size={14} /> {error}
          </span>
        ) : (
          <span className="t3 num ell" role="status">
            {done
              ? [done.name, done.bytes === null ? null : fileSize(done.bytes)].filter(Boolean).join(', ')
              : offered.length
                ? 'Drawing the picture'
                : 'There is nothing to draw yet'}
          </span>
        )}
        <span className="sp" />
        <button className="btn lg" onClick={onClose}>
          Cancel
        </button>
        <button className="btn lg primary" disabled={!done || saving} onClick={() => void save()} data-testid="export-save">
          Save PNG
        </button>
      </div>
    </Modal>
  )
}

function Pick({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (v: string) => void
}): ReactElement {
  return (
    <label className="block">
      <span className="lab">{label}</span>
      <span className="pick">
        <select value={value} onChange={e => onChange(e.target.value)} aria-label={label}>
          {options.map(([v, l]) => (
            <option key={v} value={v}>
              {l}
            </option>
          ))}
        </select>
        <Icon name="chevron" size={12} />
      </span>
    </label>
  )
}
