/** Finding the next event after damage: what a place must look like to be taken for an event or for the end of the list. */
import { ascii, CLOSE_BRACE, COLON, COMMA, equalBytes, keyCode, OTHER, QUOTE, WS } from './bytes'

export const NO = 0
export const YES = 1
/** More bytes are needed to tell. */
export const UNSURE = 2

/** White space and key lengths beyond this are not followed while looking for a way back. */
const FAR = 256
const MORE_KEYS = ['s', 'bp', 'tts', 'tdur', 'scope', 'sf', 'stack', 'cname'].map(ascii)
const TOP_KEYS = [
  'traceName',
  'displayTimeUnit',
  'baseTimeNanoseconds',
  'schemaVersion',
  'deviceProperties',
  'distributedInfo',
  'otherData',
  'metadata',
  'trace_id',
  'stackFrames',
  'systemTraceEvents',
  'samples',
].map(ascii)

/** Reads `"key" :` from `i`; [start, end] of the key, or NO / UNSURE. */
function keyAt(b: Uint8Array, i: number, end: number, ended: boolean): readonly [number, number] | typeof NO | typeof UNSURE {
  const lost = ended ? NO : UNSURE
  const s = space(b, i, end)
  if (s < 0) return NO
  if (s >= end) return lost
  if (b[s] !== QUOTE) return NO
  let k = s + 1
  while (k < end && b[k] !== QUOTE) if (k++ - s > FAR) return NO
  if (k >= end) return lost
  const colon = space(b, k + 1, end)
  if (colon < 0) return NO
  if (colon >= end) return lost
  return b[colon] === COLON ? [s + 1, k] : NO
}

/** First byte that is not white space; `end` when there is none, -1 when it is too far. */
function space(b: Uint8Array, i: number, end: number): number {
  const from = i
  while (i < end && WS[b[i]] === 1) if (i++ - from > FAR) return -1
  return i
}

/** Whether an event begins after a brace, `i` being the byte after it. */
export function looksLikeEvent(b: Uint8Array, i: number, end: number, ended: boolean): number {
  const key = keyAt(b, i, end, ended)
  if (typeof key === 'number') return key
  if (keyCode(b, key[0], key[1]) !== OTHER) return YES
  return MORE_KEYS.some(k => equalBytes(b, key[0], key[1], k)) ? YES : NO
}

/** Whether the list of events ends with a bracket, `i` being the byte after it: the document ends, or a known top-level key follows. */
export function looksLikeEnd(b: Uint8Array, i: number, end: number, ended: boolean, bareArray: boolean): number {
  const s = space(b, i, end)
  if (s < 0) return NO
  if (s >= end) return ended ? (bareArray ? YES : NO) : UNSURE
  if (bareArray) return NO
  if (b[s] === CLOSE_BRACE) {
    const rest = space(b, s + 1, end)
    return rest < 0 || rest < end ? NO : ended ? YES : UNSURE
  }
  if (b[s] !== COMMA) return NO
  const key = keyAt(b, s + 1, end, ended)
  if (typeof key === 'number') return key
  return TOP_KEYS.some(k => equalBytes(b, key[0], key[1], k)) ? YES : NO
}
