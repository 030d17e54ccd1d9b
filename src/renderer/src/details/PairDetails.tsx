/** What an NTFF was recorded of, or which NTFFs a NEFF has, with the evidence; and the folders in which NEFFs are looked for too. */
import { useEffect, type ReactElement } from 'react'
import type { Catalog, CatalogFile, CatalogSession, Pair } from '../../../shared/catalog'
import { addNeffs, removeNeffs } from '../commands/open'
import { Icon } from '../shell/icons'
import { PAIR_BY, PAIR_WORD } from '../shell/pairs'
import { baseName, count } from '../shell/words'
import { loadNeffFolders, useNeffFolders } from '../state/neff'
import { useView } from '../state/view'
import { KeyValues } from './KeyValues'

/** Files that are listed at most; the rest is counted. */
const SHOWN = 20

export function PairDetails({
  file,
  session,
  catalog,
}: {
  readonly file: CatalogFile
  readonly session: CatalogSession
  readonly catalog: Catalog
}): ReactElement | null {
  if (file.kind === 'neff') return <Profiles file={file} catalog={catalog} />
  const pair = session.pairs.find(p => p.ntff === file.path)
  return pair ? <Model pair={pair} catalog={catalog} /> : null
}

/** A file of the catalog, to be selected; one in an added folder is named only. */
function FileLink({ path, catalog }: { readonly path: string; readonly catalog: Catalog }): ReactElement {
  const file = catalog.sessions.flatMap(s => s.files).find(f => f.path === path)
  if (!file)
    return (
      <span className="ell" title={path}>
        {path}
      </span>
    )
  return (
    <button className="link ell" title={path} onClick={() => useView.getState().select({ type: 'file', file: file.id })}>
      {baseName(path)}
    </button>
  )
}

const Files = ({ paths, catalog }: { readonly paths: readonly string[]; readonly catalog: Catalog }): ReactElement => (
  <span className="files">
    {paths.slice(0, SHOWN).map(p => (
      <FileLink key={p} path={p} catalog={catalog} />
    ))}
    {paths.length > SHOWN && <span className="t3">{count(paths.length - SHOWN, 'more')}</span>}
  </span>
)

function Model({ pair, catalog }: { readonly pair: Pair; readonly catalog: Catalog }): ReactElement {
  const { chip } = PAIR_WORD[pair.verdict]
  const looking = pair.verdict === 'missing-neff' || pair.verdict === 'partial'
  return (
    <>
      <div className="sect">
        Model
        <span className={`chip ${chip.cls}`}>{chip.word}</span>
      </div>
      {pair.neff.length > 0 && (
        <KeyValues
          rows={[
            [pair.neff.length > 1 ? 'NEFFs' : 'NEFF', <Files paths={pair.neff} catalog={catalog} />],
            ['Told by', <span className="wrap">{PAIR_BY[pair.by]}</span>],
          ]}
        />
      )}
      <p className="remark t3 selectable breakable">{pair.evidence}</p>
      {looking && <p className="remark">Is it in a compiler cache? Add that folder, and NEFFs are looked for in it too.</p>}
      <NeffFolders offer={looking} />
    </>
  )
}

function NeffFolders({ offer }: { readonly offer: boolean }): ReactElement | null {
  const folders = useNeffFolders(s => s.folders)
  useEffect(() => void loadNeffFolders(), [])
  if (!offer && !folders?.length) return null
  return (
    <>
      {offer && (
        <div className="acts pad">
          <button className="btn" onClick={() => void addNeffs()}>
            <Icon name="folder" size={12} />
            Add NEFF folder…
          </button>
        </div>
      )}
      {folders !== null && folders.length > 0 && (
        <>
          <div className="sect">Added NEFF folders</div>
          <ul className="folders">
            {folders.map(f => (
              <li key={f.id}>
                <span className="ell selectable" title={f.path}>
                  {f.path}
                </span>
                {!f.there && <span className="chip warn">not there</span>}
                <button
                  className="btn icon"
                  aria-label={`Remove ${f.path} from the list`}
                  title="Remove from the list; nothing on disk is touched"
                  onClick={() => removeNeffs(f.id)}
                >
                  <Icon name="close" size={12} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** The NTFFs of all sessions that were recorded of this NEFF. */
function Profiles({ file, catalog }: { readonly file: CatalogFile; readonly catalog: Catalog }): ReactElement {
  const found = catalog.sessions.flatMap(s => s.pairs.filter(p => p.neff.includes(file.path)))
  const sure = found.filter(p => p.verdict !== 'ambiguous')
  const [first] = sure
  return (
    <>
      <div className="sect">
        Device profiles
        <span className="t3">{found.length > 0 ? found.length : ''}</span>
      </div>
      {found.length === 0 ? (
        <p className="remark t3">No NTFF of the opened folder was recorded of this NEFF.</p>
      ) : (
        <KeyValues
          rows={[
            sure.length > 0 && ['Recorded of it', <Files paths={sure.map(p => p.ntff)} catalog={catalog} />],
            sure.length < found.length && [
              'Maybe of it',
              <Files paths={found.filter(p => p.verdict === 'ambiguous').map(p => p.ntff)} catalog={catalog} />,
            ],
            first !== undefined && ['Told by', <span className="wrap">{[...new Set(sure.map(p => PAIR_BY[p.by]))].join('; ')}</span>],
          ]}
        />
      )}
      {first !== undefined && sure.length === 1 && <p className="remark t3 selectable breakable">{first.evidence}</p>}
    </>
  )
}
