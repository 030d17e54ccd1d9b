/** A Python stack, innermost frame first, library frames folded; and the button that copies something. */
import { useState, type ReactElement } from 'react'
import type { Frame } from '../../../shared/api'
import { num } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { copyText } from './copy'
import { fold, shortFile, stackText } from './frames'
import './details.css'

export function CopyButton({
  label,
  text,
  small = false,
}: {
  readonly label: string
  readonly text: string
  readonly small?: boolean
}): ReactElement {
  const [done, setDone] = useState(false)
  return (
    <button
      className="btn icon"
      title={done ? 'Copied' : label}
      aria-label={label}
      onClick={() => void copyText(text).then(setDone)}
      onPointerLeave={() => setDone(false)}
    >
      <Icon name={done ? 'check' : 'copy'} size={small ? 12 : 14} />
    </button>
  )
}

export function Stack({
  title,
  frames,
  note,
  closed = false,
}: {
  readonly title: string
  readonly frames: readonly Frame[]
  readonly note: string
  readonly closed?: boolean
}): ReactElement {
  const [open, setOpen] = useState(!closed)
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const parts = fold(frames)
  const first = parts.findIndex(p => p.kind === 'frame' && !p.frame.library)
  return (
    <section aria-label={title}>
      <div className="sect">
        {closed ? (
          <button className="twist" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Icon name={open ? 'chevron' : 'right'} size={12} />
            {title}
          </button>
        ) : (
          title
        )}
        <span className="t3 num">{frames.length === 1 ? '1 frame' : `${num(frames.length)} frames`}</span>
        <span className="sp" />
        {frames.length > 0 && <CopyButton label={`Copy ${title.toLowerCase()}`} text={stackText(frames)} />}
      </div>
      {open && note && <p className="note">{note}</p>}
      {open && frames.length > 0 && (
        <div className="frames" data-testid={closed ? 'free-stack' : 'stack'}>
          {parts.map((p, i) =>
            p.kind === 'frame' ? (
              <FrameRow key={p.index} frame={p.frame} top={i === first} />
            ) : unfolded.has(p.index) ? (
              p.frames.map((f, k) => <FrameRow key={`${p.index}.${k}`} frame={f} top={false} />)
            ) : (
              <button
                key={p.index}
                className="fr fold"
                aria-expanded={false}
                onClick={() => setUnfolded(new Set([...unfolded, p.index]))}
                title="Show them"
              >
                <Icon name="right" size={12} />
                {p.frames.length === 1 ? '1 library frame' : `${num(p.frames.length)} library frames`}
              </button>
            ),
          )}
        </div>
      )}
    </section>
  )
}

function FrameRow({ frame, top }: { readonly frame: Frame; readonly top: boolean }): ReactElement {
  return (
    <div className={`fr${frame.library ? '' : ' user'}${top ? ' top' : ''}`} title={`${frame.name}\n${frame.file}:${frame.line}`}>
      <span className="fn mono">{frame.name}</span>
      <span className="at mono">{shortFile(frame)}</span>
    </div>
  )
}
