/** Sizes of the opcodes. */

/** Bytes that follow each opcode before any declared length is known. */
export const ARGS = new Uint8Array(256)
for (const [op, n] of Object.entries({
  0x4a: 4,
  0x4b: 1,
  0x4d: 2,
  0x47: 8,
  0x54: 4,
  0x55: 1,
  0x58: 4,
  0x42: 4,
  0x43: 1,
  0x68: 1,
  0x6a: 4,
  0x71: 1,
  0x72: 4, // prettier-ignore
  0x80: 1,
  0x82: 1,
  0x83: 2,
  0x84: 4,
  0x8a: 1,
  0x8b: 4,
  0x8c: 1,
  0x8d: 8,
  0x8e: 8,
  0x95: 8,
  0x96: 8, // prettier-ignore
}))
  ARGS[Number(op)] = n

/** More than any opcode with its fixed arguments. */
export const LONGEST = 16
