import { Tokenizer } from 'htmlparser2'
import { IGNORE_ALL, quoteAttribute } from './entities.ts'
import type { StorageAttributes } from './reader.ts'

/** Other HTML tags are removed; their text stays. */
const KEPT_TAGS = new Set(
  (
    'a abbr address article aside b big blockquote br caption center cite code col colgroup dd del details dfn div ' +
    'dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i ins kbd label li mark ol p pre q rp rt ' +
    'ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul ' +
    'var wbr'
  ).split(' '),
)
const KEPT_ATTRIBUTES = 'href colspan rowspan datetime class style hidden start type value reversed'.split(
  ' ',
)
const VOID = new Set(['br', 'hr', 'col', 'wbr'])
/** Contain code, not text. */
const INVISIBLE = new Set(['script', 'style'])

export function isInvisible(name: string): boolean {
  return INVISIBLE.has(name)
}

export function startTag(name: string, attributes: StorageAttributes): string {
  if (!KEPT_TAGS.has(name)) return ''
  let tag = `<${name}`
  for (const each of KEPT_ATTRIBUTES) {
    const value = attributes[each]
    if (value !== undefined) tag += ` ${each}="${quoteAttribute(value)}"`
  }
  return `${tag}>`
}

export function endTag(name: string): string {
  return KEPT_TAGS.has(name) && !VOID.has(name) ? `</${name}>` : ''
}

/** Sanitises HTML typed into a macro, so that its end tags close nothing outside the macro. */
export function sanitizeHtml(html: string): string {
  const pieces: string[] = []
  const open: string[] = []
  /** The number of open elements per name, so that an end tag does not search `open`. */
  const count = new Map<string, number>()
  let name = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  let value = ''
  let inInvisible = false

  const start = () => {
    if (isInvisible(name)) inInvisible = true
    else if (name === 'img') pieces.push(`<img alt="${quoteAttribute(attributes.alt ?? '')}">`)
    else pieces.push(startTag(name, attributes))
    if (KEPT_TAGS.has(name) && !VOID.has(name)) {
      open.push(name)
      count.set(name, (count.get(name) ?? 0) + 1)
    }
    attributes = {}
  }
  const closeLast = () => {
    const last = open.pop() ?? ''
    count.set(last, (count.get(last) ?? 0) - 1)
    pieces.push(`</${last}>`)
    return last
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ...IGNORE_ALL,
      ontext: (from, to) => {
        if (!inInvisible) pieces.push(html.slice(from, to).replaceAll('<', '&lt;'))
      },
      onopentagname: (from, to) => {
        name = html.slice(from, to).toLowerCase()
      },
      onattribname: (from, to) => {
        attribute = html.slice(from, to).toLowerCase()
      },
      onattribdata: (from, to) => {
        value += html.slice(from, to)
      },
      onattribend: () => {
        attributes[attribute] ??= value
        value = ''
      },
      onopentagend: start,
      onselfclosingtag: start,
      onclosetag: (from, to) => {
        const closed = html.slice(from, to).toLowerCase()
        if (isInvisible(closed)) inInvisible = false
        else if ((count.get(closed) ?? 0) > 0) while (closeLast() !== closed);
      },
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  while (open.length > 0) closeLast()
  return `<div>${pieces.join('')}</div>`
}
