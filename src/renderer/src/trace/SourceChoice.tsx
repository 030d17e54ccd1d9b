/** Which of several files tells of the runtime: only one kind is drawn, as together everything would stand there twice. */
import type { ReactElement } from 'react'
import type { SessionView } from '../../../shared/api'
import { num } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { notify } from '../shell/ui'
import { request } from '../state/session'

export function SourceChoice({ view }: { readonly view: SessionView }): ReactElement | null {
  const systems = view.systems ?? []
  if (systems.length === 0) return null
  const shown = systems.find(s => s.shown)
  return (
    <label className="pick" title={`Several files tell of the runtime; shown: ${shown?.path ?? 'none'}`}>
      <i>Runtime</i>
      <select
        value={shown?.file ?? ''}
        data-testid="system-source"
        onChange={e => {
          request('system.choose', { session: view.session, file: e.target.value }).catch((error: unknown) =>
            notify({ title: 'The source stays', detail: error instanceof Error ? error.message : String(error), icon: 'info' }),
          )
        }}
      >
        {systems.map(s => (
          <option key={s.file} value={s.file}>
            {`${s.words} · ${num(s.events)} events · ${s.path.slice(s.path.lastIndexOf('/') + 1)}`}
          </option>
        ))}
      </select>
      <Icon name="chevron" size={12} />
    </label>
  )
}
