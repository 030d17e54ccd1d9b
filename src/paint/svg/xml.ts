/** Text and numbers as they may stand in XML. */

/** What XML 1.0 has no place for, not even escaped: control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For the content of an element and for attributes in quotes. What cannot stand there becomes U+FFFD; line ends and tabs become spaces. */
export const xml = (text: string): string =>
  text
    .replace(CONTROL, '\ufffd')
    .replace(HALF, '\ufffd')
    .replace(/[\t\r\n]/g, ' ')
    .replace(/[&<>"']/g, c => ESCAPES[c] as string)

/** A number with at most three decimals, without what adds nothing. Throws on what is no number: a picture with holes would be silent about them. */
export function n(v: number): string {
  if (!Number.isFinite(v)) throw new Error(`not a coordinate: ${v}`)
  const r = Math.round(v * 1000) / 1000
  return r === 0 ? '0' : String(r)
}
