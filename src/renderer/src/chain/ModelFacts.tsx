/** The model that ran, and the ways to its NEFF and its device profiles. */
import type { ReactElement } from 'react'
import type { ChainModel } from '../../../shared/trace-api'
import { Icon } from '../shell/icons'
import { useView } from '../state/view'

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const show = (file: string): void => useView.getState().select({ type: 'file', file })

export function ModelFacts({ model: m }: { readonly model: ChainModel }): ReactElement {
  return (
    <div className="chain-model" data-testid="chain-model">
      <dl className="kv">
        <dt>Model</dt>
        <dd className="ell" title={m.modelName ?? undefined}>
          {m.modelName ?? 'name not known'}
        </dd>
        {m.modelId !== null && (
          <>
            <dt>Model id</dt>
            <dd className="num">{m.modelId}</dd>
          </>
        )}
        {m.cacheKey !== null && (
          <>
            <dt>Cache key</dt>
            <dd className="mono ell" title={m.cacheKey}>
              {m.cacheKey}
            </dd>
          </>
        )}
      </dl>
      {m.reason !== null && (
        <p className="chain-why">
          <Icon name="info" size={12} />
          <span>{sentence(m.reason)}</span>
        </p>
      )}
      {m.neffs.map(n => (
        <FileLine key={n.file} kind="NEFF" {...n} />
      ))}
      {m.ntffs.map(n => (
        <FileLine key={n.file} kind="NTFF" {...n} />
      ))}
    </div>
  )
}

function FileLine({
  kind,
  file,
  path,
  by,
}: {
  readonly kind: 'NEFF' | 'NTFF'
  readonly file: string
  readonly path: string
  readonly by: string
}): ReactElement {
  return (
    <div className="chain-file">
      <div className="chain-file-name">
        <span className="mono ell" title={path}>
          {baseOf(path)}
        </span>
        <button className="btn" onClick={() => show(file)} aria-label={`Show ${kind} ${baseOf(path)}`}>
          Show {kind}
        </button>
      </div>
      <p className="t3">{sentence(by)}</p>
    </div>
  )
}

export const sentence = (text: string): string => {
  const t = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?!]$/.test(t) ? t : `${t}.`
}
