/**
 * Branded units. A plain number says nothing about what it counts; these types keep nanoseconds, bytes and pixels apart at compile time.
 * At run time they are ordinary numbers and bigints.
 */
declare const unit: unique symbol
export type Brand<T, B extends string> = T & { readonly [unit]: B }

/** Nanoseconds relative to some epoch (a source's or a time group's). A double: exact for 104 days. */
export type Ns = Brand<number, 'ns'>
/** Absolute Unix time in nanoseconds. Does not fit a double, so it is a bigint. */
export type UnixNs = Brand<bigint, 'unix-ns'>
/** A count of bytes, exact up to 2^53. */
export type Bytes = Brand<number, 'bytes'>
/** CSS pixels. */
export type Px = Brand<number, 'px'>

export const ns = (v: number): Ns => v as Ns
export const unixNs = (v: bigint): UnixNs => v as UnixNs
export const bytes = (v: number): Bytes => v as Bytes
export const px = (v: number): Px => v as Px

export const KIB = 1024
export const MIB = 1024 ** 2
export const GIB = 1024 ** 3
