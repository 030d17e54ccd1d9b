/** Device memory as counter lanes: the total of each HBM over time. */
import { curve } from '../system/counters'
import type { TrackModel } from '../trace/model'
import type { HbmModel } from './model'

/** One lane per HBM with data: bytes after each event, the same columns as the model's. `pid`: process of the session where the file names none. */
export const hbmTracks = (models: readonly HbmModel[], pid = ''): readonly TrackModel[] =>
  models
    .filter(m => m.count > 0)
    .map(m =>
      curve(
        {
          role: 'counter',
          origin: 'hbm',
          pid: Number.isNaN(m.process) ? pid : String(m.process),
          tid: `${m.device}:${m.hbm}`,
          place: { ...(m.instance === '' ? {} : { instance: m.instance }), ...(m.device < 0 ? {} : { device: m.device }) },
          processName: '',
          processLabels: '',
          name: m.device < 0 ? `HBM:${m.hbm}` : `ND:${m.device}/HBM:${m.hbm}`,
          note: 'bytes',
        },
        m.time,
        m.total,
      ),
    )
