/**
 * Event types of the runtime's system trace as they are publicly known: number, names by release, attribute keys. Numbers are those of runtime 2.31.24 and move between
 * releases, so a number alone names nothing: names.ts confirms it by the attributes. Sources: third-party notes on that release, names checked against the public
 * header nrt_sys_trace.h, the documentation and real output of Neuron Explorer where possible.
 */
import { EVENT_SOURCES } from '../../shared/system-tables'

export interface CatalogueEntry {
  readonly number: number
  readonly name: string
  readonly aliases: readonly string[]
  /** Keys of the attributes, of start and stop together. */
  readonly keys: readonly string[]
  /** Measured on the device (`neuron_hw`) rather than on the host (`neuron_rt`). */
  readonly hardware: boolean
}

const entry = (number: number, names: string, keys = '', hardware = false): CatalogueEntry => {
  const [name, ...aliases] = names.split(' ') as [string, ...string[]]
  return { number, name, aliases, keys: keys === '' ? [] : keys.split(' '), hardware }
}

const COPY = 'mem_type mem_handle offset size'
const COPY_BATCH = 'mem_type num_batches total_num_ops total_size'
const HOST_CC = 'ctx_device_id ctx_device_count cc_op enc_op dtype num_elem stream_id total_notif_expected'
const BARRIER = 'peer_id exec_id nec_dev_id'

export const CATALOGUE: readonly CatalogueEntry[] = [
  entry(0, 'generic'),
  entry(1, 'nrt_load model_load', 'model_id'),
  entry(2, 'post_request', 'request_id'),
  entry(3, 'nrt_execute', 'model_id'),
  entry(4, 'runtime_execute kmgr_exec', 'model_id'),
  entry(5, 'nrt_load_collectives cc_load', 'g_device_id g_device_count model_id'),
  entry(6, 'cc_exec_barrier', 'nc_timestamp_ns model_id', true),
  entry(7, 'nc_exec_running device_exec', 'device_core_idx exec_id nc_timestamp_ns model_id', true),
  entry(8, 'cc_running cc_exec', 'gid op_id nc_timestamp_ns exec_id algorithm', true),
  entry(9, 'nrt_tensor_read tensor_read', 'tensor_id size'),
  entry(10, 'nrt_tensor_write tensor_write', 'tensor_id size'),
  entry(11, 'nrt_tensor_read_batch', 'num_batches'),
  entry(12, 'nrt_tensor_write_batch', 'num_batches'),
  entry(13, 'numerical_err', '', true),
  entry(14, 'enc_barrier_recv', BARRIER),
  entry(15, 'enc_barrier_send', BARRIER),
  entry(16, 'enc_barrier', BARRIER),
  entry(17, 'kbl_exec_pre', 'exec_id model_id'),
  entry(18, 'kmgr_exec_core', 'exec_id model_id'),
  entry(19, 'kbl_exec_wait', 'exec_id model_id'),
  entry(20, 'kbl_exec_post', 'exec_id model_id'),
  entry(21, 'nrt_model_switch', 'device_core_idx is_neuron_core_work model_id'),
  entry(22, 'nrt_model_submit', 'model_id'),
  entry(23, 'async_sema_wait nrt_async_sema_wait', 'available_request_slots has_work'),
  entry(24, 'hw_notify', 'device_core_idx hint custom_data nc_timestamp_ns exec_id', true),
  entry(25, 'timestamp_sync_point', 'exec_id nc_timestamp_ns cpu_timestamp_ns', true),
  entry(26, 'nc_model_switch', 'device_core_idx model_id exec_id nc_timestamp_ns', true),
  entry(27, 'nrt_tensor_allocate tensor_allocate', 'tensor_id size'),
  entry(28, 'nrt_tensor_free tensor_free', 'tensor_id size ref_count'),
  entry(29, 'tensor_block_while_exec', 'pending_reader_count pending_writer_count'),
  entry(30, 'dmem_buf_copyin', COPY),
  entry(31, 'dmem_buf_copyout', COPY),
  entry(32, 'dmem_buf_copyin_batch', COPY_BATCH),
  entry(33, 'dmem_buf_copyout_batch', COPY_BATCH),
  entry(
    34,
    'nrt_dma_mem_alloc dma_mem_alloc',
    'hbm_idx is_nc_hbm is_aligned mla_idx usage_type allocated_bytes total_bytes usage_type_total_bytes return_code physical_address',
  ),
  entry(
    35,
    'nrt_dma_mem_dealloc dma_mem_dealloc',
    'hbm_idx is_nc_hbm mla_idx usage_type physical_address freed_bytes total_bytes usage_type_total_bytes',
  ),
  entry(36, 'consume_tpb_status', 'exec_id'),
  entry(37, 'exec_consume_cc_core_notifications', 'exec_id model_id'),
  entry(38, 'notification_consume_errors', 'exec_id model_id'),
  entry(39, 'exec_consume_gpsimd_stdio', 'exec_id model_id'),
  entry(40, 'cc_prepare', HOST_CC),
  entry(41, 'cc_schedule', HOST_CC),
  entry(42, 'hostcc_build_context', HOST_CC),
  entry(43, 'hostcc_load', HOST_CC),
  entry(44, 'hostcc_exec', HOST_CC),
  entry(45, 'hostcc_wait', HOST_CC),
]

/** Names of newer releases whose numbers and keys are not known. */
export const NAMES_WITHOUT_NUMBER: readonly string[] = ['nrta_execute_schedule', 'nrt_profile_add_node_info']

/** Every key that some entry has, and those seen in exports. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...CATALOGUE.flatMap(e => e.keys),
  ...['model_name', 'tensor_name', 'framework_stream_id', 'nrt_sequence_id', 'neff_cache_key', 'bucket_id', 'worker_gid', 'nc_local_id'],
])

const byNumber = new Map(CATALOGUE.map(e => [e.number, e]))
export const entryOf = (number: number): CatalogueEntry | undefined => byNumber.get(number)

const byName = new Map(CATALOGUE.flatMap(e => [e.name, ...e.aliases].map(n => [n, e] as const)))
/** Entry of a name of any release. */
export const entryNamed = (name: string): CatalogueEntry | undefined => byName.get(name)

/** Index into EVENT_SOURCES. `nrt_model_switch` is a host event here; the documentation names it or `nc_model_switch` as one of the device, depending on the page. */
export const SOURCE_RUNTIME = EVENT_SOURCES.indexOf('neuron_rt')
export const SOURCE_HARDWARE = EVENT_SOURCES.indexOf('neuron_hw')

/**
 * How well the keys seen on events of one type fit an entry, 0 to 1: mostly how many of the seen keys the entry has (a run need not show all of them), and a little
 * how many of the entry's keys were seen. NaN where no key was seen that any entry knows: then the keys say nothing.
 */
export function fit(seen: ReadonlySet<string>, e: CatalogueEntry): number {
  let known = 0
  let shared = 0
  for (const k of seen) {
    if (!KNOWN_KEYS.has(k)) continue
    known++
    if (e.keys.includes(k)) shared++
  }
  if (known === 0) return NaN
  return e.keys.length === 0 ? 0 : 0.75 * (shared / known) + 0.25 * (shared / e.keys.length)
}
