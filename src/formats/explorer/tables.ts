/**
 * Neuron Explorer's Parquet tables that are read, and their columns: schema 7.4.0, the last that is public in full. Later versions move columns, so a file's own
 * schema is asked; a table is told by its columns where its file was renamed.
 */

export const EVENTS = 'SystemProfileEvents'
export const HBM = 'SystemProfileHbmUsage'
export const METADATA = 'SystemProfileMetadata'
export const CPU = 'CpuUsage'
export const HOST_MEMORY = 'HostMemUsage'
export const DEVICE_PROFILES = 'DeviceProfileList'
export const WARNINGS = 'Warning'

interface TableSpec {
  /** Columns without which nothing can be read. */
  readonly needed: readonly string[]
  /** The other documented ones. */
  readonly more: readonly string[]
  /** Columns that together tell the table where the name doesn't; [] where none would. */
  readonly telling: readonly string[]
}

export const TABLES: Readonly<Record<string, TableSpec>> = {
  [EVENTS]: {
    needed: ['name', 'start_ts'],
    more: [
      'id',
      'end_ts',
      'duration_ns',
      'trace_event_source',
      'instance_id',
      'process_id',
      'thread_id',
      'nc_idx',
      'pcore_idx',
      'worker_gid',
      'flow_id',
      'framework_stream_id',
      'extra_attributes_json',
    ],
    telling: ['name', 'start_ts', 'trace_event_source'],
  },
  [HBM]: {
    needed: ['timestamp', 'total_bytes'],
    more: ['device_idx', 'hbm_idx', 'instance_id'],
    telling: ['timestamp', 'total_bytes', 'hbm_idx'],
  },
  [METADATA]: {
    needed: [],
    more: ['first_ts_ns', 'last_ts_ns', 'ntff_version', 'hbm_capacity_bytes'],
    telling: ['first_ts_ns', 'hbm_capacity_bytes'],
  },
  [CPU]: { needed: ['timestamp', 'util_percent'], more: ['cpu_id', 'instance_id'], telling: ['timestamp', 'util_percent', 'cpu_id'] },
  [HOST_MEMORY]: {
    needed: ['timestamp', 'used_bytes'],
    more: ['used_percent', 'instance_id'],
    telling: ['timestamp', 'used_bytes', 'used_percent'],
  },
  [DEVICE_PROFILES]: {
    needed: ['device_profile_name'],
    more: ['instance_id', 'process_id', 'nc_id', 'session_id', 'model_id'],
    telling: ['device_profile_name', 'nc_id'],
  },
  [WARNINGS]: { needed: ['message'], more: ['category'], telling: ['message', 'category'] },
}

/** Which table a name tells, and which part of it: `SystemProfileEvents_3.parquet` is part 3. `part` null: the table is not split. null for names without `.parquet`. */
export function tableOfName(name: string): { readonly table: string; readonly part: number | null } | null {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const m = /^(.+?)(?:_(\d{1,9}))?\.parquet$/i.exec(base)
  return m ? { table: m[1], part: m[2] === undefined ? null : Number(m[2]) } : null
}

/** A table that is read; null for others. */
export function tableByColumns(columns: ReadonlySet<string>): string | null {
  for (const [table, { telling }] of Object.entries(TABLES)) if (telling.length > 0 && telling.every(c => columns.has(c))) return table
  return null
}
