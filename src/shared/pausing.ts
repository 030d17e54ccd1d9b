/** Lets others run now and then during long work. `pause` answers whether the work is to be given up. */
export interface Pausing {
  /** Cheap: whether it is time for `pause`. */
  readonly due: boolean
  readonly pause: () => Promise<boolean>
}
