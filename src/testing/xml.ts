/** A strict reader of the XML that the program writes, for tests: one root, elements, attributes in double quotes, five entities and decimal references. Throws on everything else. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Text of the element itself. */
  readonly text: string
}

const NAME = /[A-Za-z][\w:.-]*/y
const ENTITY: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
// eslint-disable-next-line no-control-regex
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

export function readXml(source: string): XmlElement {
  if (IMPOSSIBLE.test(source)) throw new Error('a character that XML does not allow')
  if (HALF.test(source)) throw new Error('half of a surrogate pair')
  let at = 0
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${JSON.stringify(source.slice(at, at + 60))}`)
  }
  const take = (text: string): void => {
    if (!source.startsWith(text, at)) fail(`no ${text}`)
    at += text.length
  }
  const match = (re: RegExp): string => {
    re.lastIndex = at
    const m = re.exec(source)
    if (!m) return fail(`no ${re}`)
    at = re.lastIndex
    return m[0]
  }
  const decoded = (raw: string): string => {
    if (/[<>]/.test(raw)) fail('a bare bracket')
    if (/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(raw)) fail('a bare ampersand')
    return raw.replace(/&(?:#(\d+)|(\w+));/g, (_, n: string | undefined, name: string) =>
      n ? String.fromCodePoint(Number(n)) : (ENTITY[name] ?? ''),
    )
  }
  const element = (): XmlElement => {
    take('<')
    const name = match(NAME)
    const attributes: Record<string, string> = {}
    for (;;) {
      const space = match(/\s*/y)
      if (source.startsWith('/>', at)) {
        at += 2
        return { name, attributes, children: [], text: '' }
      }
      if (source[at] === '>') {
        at++
        break
      }
      if (space === '') fail('no space before an attribute')
      const key = match(NAME)
      if (key in attributes) fail('an attribute twice')
      take('="')
      attributes[key] = decoded(match(/[^"]*/y))
      take('"')
    }
    const children: XmlElement[] = []
    let text = ''
    for (;;) {
      text += decoded(match(/[^<]*/y))
      if (source.startsWith('</', at)) break
      children.push(element())
    }
    take(`</${name}>`)
    return { name, attributes, children, text }
  }
  take('<?xml version="1.0" encoding="UTF-8"?>\n')
  const root = element()
  match(/\s*/y)
  if (at !== source.length) fail('something behind the root')
  return root
}
