/** Rows of events from the values of an export, the same for every format: sources, kinds, places, ends. */
import { EVENT_SOURCES, EVENT_SOURCE_UNKNOWN, ROW_INSTANT, ROW_OPEN, ROW_SLICE } from '../../shared/system-tables'
import { entryNamed } from '../neuron-runtime/catalogue'
import { NO_TIME, type SystemBuilder } from './build'

/** Index of a source by its name; EVENT_SOURCE_UNKNOWN for others. */
export function sourceNamed(text: string | null): number {
  const i = (EVENT_SOURCES as readonly string[]).indexOf(text ?? '')
  return i < 0 ? EVENT_SOURCE_UNKNOWN : i
}

/** Source of an event of the runtime by its name: what is measured on the device is documented by name, everything else is the host's. */
export const sourceOfName = (name: string): number => sourceNamed(entryNamed(name)?.hardware ? 'neuron_hw' : 'neuron_rt')

/**
 * Sets the state of a row whose start and, where it is known, stop are set. Exports write instants as events without length, so a stop at the start is an instant.
 * A stop that is not known is no instant: the row is open.
 */
export function settle(b: SystemBuilder, row: number): void {
  const start = b.start.a[row]
  const stop = b.stop.a[row]
  b.state.a[row] = stop === NO_TIME ? ROW_OPEN : stop === start ? ROW_INSTANT : ROW_SLICE
}

/** Attributes of a nested object (extra_attributes_json, data) as they stand there; null and undefined are none. */
export function addAttributes(b: SystemBuilder, row: number, record: Readonly<Record<string, unknown>>, stop = false): void {
  for (const [key, value] of Object.entries(record)) b.attribute(row, key, value, stop)
}
