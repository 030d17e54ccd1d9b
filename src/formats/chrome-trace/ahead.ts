/**
 * Finding the way after damage: what a place must look like to be taken for an event, for the end of the list, or for a member of the document. All of these look a
 * few hundred bytes ahead at most and answer UNSURE where the input is not there yet.
 */
import type { Ahead } from '../json/input'
import { ALIEN, ALIEN_IF_LETTER, ORDINARY } from '../json/skip'
import {
  ascii,
  CAT,
  CLOSE_BRACE,
  COLON,
  COMMA,
  equalBytes,
  keyCode,
  OPEN_BRACE,
  OPEN_BRACKET,
  OTHER,
  PH,
  PID,
  QUOTE,
  TID,
  TS,
  WS,
} from './bytes'

export const NO = 0
export const YES = 1
/** More bytes are needed to tell. */
export const UNSURE = 2
/** A document begins: its first member is one that only the top level of a trace has. */
export const HEADER = 3

/** White space and key lengths beyond this are not followed while looking for a way back. */
const FAR = 256
/** A comment longer than this is taken for damage. */
const LONGEST_COMMENT = 4096
const MORE_KEYS = ['s', 'bp', 'tts', 'tdur', 'scope', 'sf', 'stack', 'cname'].map(ascii)
/** Members that no event and no args have. */
const HEADER_KEYS = [
  'schemaVersion',
  'deviceProperties',
  'distributedInfo',
  'displayTimeUnit',
  'baseTimeNanoseconds',
  'traceName',
  'trace_id',
  'traceEvents',
].map(ascii)
const TOP_KEYS = [...HEADER_KEYS, ...['otherData', 'metadata', 'stackFrames', 'systemTraceEvents', 'samples'].map(ascii)]
const TRACE_EVENTS = ascii('traceEvents')

/** Reads `"key" :` from `i`; [start, end of the key, index after the colon], or NO / UNSURE. */
function keyAt({ b, end, ended }: Ahead, i: number): readonly [number, number, number] | typeof NO | typeof UNSURE {
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
  return b[colon] === COLON ? [s + 1, k, colon + 1] : NO
}

/** First byte that is not white space; `end` when there is none, -1 when it is too far. */
function space(b: Uint8Array, i: number, end: number): number {
  const from = i
  while (i < end && WS[b[i]] === 1) if (i++ - from > FAR) return -1
  return i
}

/** Index after white space and the byte `c`; NO or UNSURE, as negative numbers, where it does not stand there. */
function past({ b, end, ended }: Ahead, i: number, c: number): number {
  const s = space(b, i, end)
  if (s < 0 || (s >= end && ended)) return -1 - NO
  if (s >= end) return -1 - UNSURE
  return b[s] === c ? s + 1 : -1 - NO
}

export const isHeaderKey = (b: Uint8Array, s: number, e: number): boolean => HEADER_KEYS.some(k => equalBytes(b, s, e, k))

/** Whether an object inside of an event is none of its values but what another writer put there: a document, or an event that begins with its phase as Kineto's do. */
export const alienKey = (b: Uint8Array, s: number, e: number): number =>
  keyCode(b, s, e) === PH ? ALIEN_IF_LETTER : isHeaderKey(b, s, e) ? ALIEN : ORDINARY

export const isListKey = (b: Uint8Array, s: number, e: number): boolean => equalBytes(b, s, e, TRACE_EVENTS)

/**
 * What begins with a brace, `i` being the byte after it: YES for an event, HEADER for a document. `before` is the last byte in front of the brace that is no white space:
 * after a colon an object is the value of something, unless it begins with a phase.
 */
export function looksLikeObject(a: Ahead, i: number, before: number): number {
  const key = keyAt(a, i)
  if (typeof key === 'number') return key
  const [s, e, v] = key
  const code = keyCode(a.b, s, e)
  if (before === COLON) return code === PH ? oneLetter(a, v) : NO
  if (code !== OTHER || MORE_KEYS.some(k => equalBytes(a.b, s, e, k))) return YES
  return isHeaderKey(a.b, s, e) ? HEADER : NO
}

function oneLetter(a: Ahead, i: number): number {
  const s = past(a, i, QUOTE)
  if (s < 0) return -1 - s
  if (s + 1 >= a.end) return a.ended ? NO : UNSURE
  return a.b[s + 1] === QUOTE ? YES : NO
}

/** Whether a list of events begins with a bracket, `i` being the byte after it. */
export function looksLikeList(a: Ahead, i: number): number {
  const s = past(a, i, OPEN_BRACE)
  if (s < 0) return -1 - s
  const key = keyAt(a, s)
  if (typeof key === 'number') return key
  const code = keyCode(a.b, key[0], key[1])
  return code === PH || code === PID || code === TID || code === TS || code === CAT ? YES : NO
}

/** Whether another event follows a closing bracket, `i` being the byte after it: then it does not close the list. */
export function eventFollows(a: Ahead, i: number): number {
  const comma = past(a, i, COMMA)
  if (comma < 0) return -1 - comma
  const s = past(a, comma, OPEN_BRACE)
  if (s < 0) return -1 - s
  return looksLikeObject(a, s, COMMA)
}

/** Whether the list of events ends with a bracket, `i` being the byte after it: the document ends, or a known top-level key follows. */
export function looksLikeEnd(a: Ahead, i: number, bareArray: boolean): number {
  const { b, end, ended } = a
  const s = space(b, i, end)
  if (s < 0) return NO
  if (s >= end) return ended ? (bareArray ? YES : NO) : UNSURE
  if (bareArray) return NO
  if (b[s] === CLOSE_BRACE) {
    const rest = space(b, s + 1, end)
    return rest < 0 || rest < end ? NO : ended ? YES : UNSURE
  }
  if (b[s] !== COMMA) return NO
  const key = keyAt(a, s + 1)
  if (typeof key === 'number') return key
  return TOP_KEYS.some(k => equalBytes(b, key[0], key[1], k)) ? YES : NO
}

/**
 * Whether the string at `i` is the key of a top-level member. Inside of the list of events (`inList`) only the members that nothing else has count, and a comma must stand
 * before; the list itself counts anywhere.
 */
export function looksLikeMember(a: Ahead, i: number, before: number, inList: boolean): number {
  const key = keyAt(a, i)
  if (typeof key === 'number') return key
  const [s, e, v] = key
  if (isListKey(a.b, s, e)) {
    const list = past(a, v, OPEN_BRACKET)
    return list < 0 ? -1 - list : YES
  }
  if (inList) return before === COMMA && isHeaderKey(a.b, s, e) ? YES : NO
  return TOP_KEYS.some(k => equalBytes(a.b, s, e, k)) ? YES : NO
}

/** Index after the comment that begins with the slash at `i`; -1 - NO where there is none, -1 - UNSURE where its end is not there yet. */
export function commentEnd({ b, end, ended }: Ahead, i: number): number {
  if (i + 1 >= end) return ended ? -1 - NO : -1 - UNSURE
  const block = b[i + 1] === 0x2a
  if (!block && b[i + 1] !== 0x2f) return -1 - NO
  const last = Math.min(end, i + LONGEST_COMMENT)
  for (let k = i + 2; k < last; k++) {
    if (!block && b[k] === 0x0a) return k + 1
    if (block && b[k] === 0x2f && b[k - 1] === 0x2a && k > i + 2) return k + 1
  }
  return last < end || ended ? -1 - NO : -1 - UNSURE
}
