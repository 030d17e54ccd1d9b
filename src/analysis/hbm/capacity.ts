/**
 * Capacity of an HBM and of the share of one logical NeuronCore.
 *
 * Sources: the memory profiling guide of torch-neuronx (2.33): "At LNC 1 on Trn2 and Trn3, the device memory total is two times the capacity of one logical NeuronCore ...
 * total_memory reports the HBM of one full stack, and two logical NeuronCores share one stack at LNC 1 ... scale the value by active_LNC / default_LNC: 12 GiB on Trn2 and
 * 18 GiB on Trn3. The default LNC is 2 on Trn2 and Trn3. On Trn1 and Inf2 the value is correct at every LNC." So one stack has 24 and 36 GiB. The guide gives no figure for
 * Trn1 and Inf2. SystemProfileMetadata of an export has `hbm_capacity_bytes`, which stands where it is there.
 */
import type { HbmCapacity } from '../../shared/hbm-api'
import { memory } from '../../shared/format'
import { GIB } from '../../shared/units'

interface Family {
  readonly name: string
  /** Bytes of one full stack; null: no public figure. */
  readonly stack: number | null
  readonly defaultLnc: number
  /** Whether logical NeuronCores share a stack below the default LNC. */
  readonly shared: boolean
}
const FAMILIES: readonly Family[] = [
  { name: 'Trn3', stack: 36 * GIB, defaultLnc: 2, shared: true },
  { name: 'Trn2', stack: 24 * GIB, defaultLnc: 2, shared: true },
  { name: 'Trn1', stack: null, defaultLnc: 1, shared: false },
  { name: 'Inf2', stack: null, defaultLnc: 1, shared: false },
]

export interface CapacityFacts {
  /** `trn2.48xlarge`, `Trn2`; null where nothing tells. */
  readonly instanceType: string | null
  /** Logical NeuronCore size (physical cores of one logical core) of the run; null where nothing tells. */
  readonly lnc: number | null
  /** `hbm_capacity_bytes` of an export. */
  readonly exported: number | null
}

/** Capacity, or null with the reason. */
export function hbmCapacity({ instanceType, lnc, exported }: CapacityFacts): HbmCapacity {
  const family = FAMILIES.find(f => instanceType?.trim().toLowerCase().startsWith(f.name.toLowerCase()))
  const bytes = exported !== null && exported > 0 ? exported : (family?.stack ?? null)
  if (bytes === null)
    return {
      bytes: null,
      perCoreBytes: null,
      reason: family
        ? `no public figure for one HBM of ${family.name}`
        : instanceType
          ? `no public figure for ${instanceType}`
          : 'the files do not tell the instance type',
    }
  const from = exported !== null && exported > 0 ? 'hbm_capacity_bytes of the export' : `one full stack of ${family?.name ?? ''}`
  if (!family) return { bytes, perCoreBytes: null, reason: `${from}; the share of a core is not known without the instance type` }
  if (!family.shared) return { bytes, perCoreBytes: null, reason: `${from}; the value holds at every LNC on ${family.name}` }
  if (lnc === null)
    return { bytes, perCoreBytes: null, reason: `${from}; the files do not tell the LNC, at LNC 1 two logical cores share it` }
  if (!Number.isInteger(lnc) || lnc < 1 || lnc > family.defaultLnc)
    return { bytes, perCoreBytes: null, reason: `${from}; LNC ${lnc} is not known on ${family.name}` }
  if (lnc === family.defaultLnc) return { bytes, perCoreBytes: null, reason: `${from}, LNC ${lnc}` }
  const perCoreBytes = (bytes * lnc) / family.defaultLnc
  return {
    bytes,
    perCoreBytes,
    reason: `${from}, shared by ${family.defaultLnc / lnc} logical cores at LNC ${lnc}: ${memory(perCoreBytes)} each`,
  }
}
