/** Which HBM is shown: devices and HBMs by source, where several sources tell of device memory. */
import type { ReactElement } from 'react'
import type { SessionView } from '../../../shared/api'
import type { HbmInfo } from '../../../shared/hbm-api'
import { Icon } from '../shell/icons'
import { useView } from '../state/view'

const baseName = (path: string): string => path.split('/').at(-1) ?? path

export function HbmSelect({ view, info }: { readonly view: SessionView; readonly info: HbmInfo }): ReactElement {
  const all = view.hbm ?? []
  const paths = [...new Set(all.map(h => h.path))]
  const option = (h: HbmInfo): ReactElement => (
    <option key={h.id} value={h.id}>
      {h.label}
    </option>
  )
  return (
    <label className="pick" title={`Device and HBM, as ${baseName(info.path)} tells it`}>
      <i>Device</i>
      <select
        value={info.id}
        data-testid="hbm-device"
        onChange={e => {
          const v = useView.getState()
          if (v.pinnedRuntime && v.pinnedRuntime.hbm !== Number(e.target.value)) v.pinRuntime(null)
          v.setHbm(Number(e.target.value))
        }}
      >
        {paths.length === 1
          ? all.map(option)
          : paths.map(p => (
              <optgroup key={p} label={baseName(p)}>
                {all.filter(h => h.path === p).map(option)}
              </optgroup>
            ))}
      </select>
      <Icon name="chevron" size={12} />
    </label>
  )
}
