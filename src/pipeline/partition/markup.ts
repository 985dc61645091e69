import { Tokenizer } from 'htmlparser2'
import { refuseDeepMarkup } from '../../markup-depth.ts'

export type Attributes = { readonly [name: string]: string | undefined }

/** Every `open` has its `close`, properly nested, for any input. */
export type MarkupHandler = {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(data: string): void
}

/**
 * Reads HTML in linear time with htmlparser2's tokenizer. Its Parser is quadratic: 5 s for 100,000 nested
 * tags.
 */
export function readMarkup(html: string, handler: MarkupHandler): void {
  const tags = new OpenTags(handler)
  let name = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  let value = ''

  const open = () => {
    tags.open(name, attributes)
    attributes = {}
  }
  const inForeignContext = () => tags.isOpen('svg') || tags.isOpen('math')

  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => handler.text(html.slice(start, end)),
      ontextentity: (code) => handler.text(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        const tagName = html.slice(start, end).toLowerCase()
        name = tagName === 'image' ? 'img' : tagName
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, end).toLowerCase()
      },
      onattribdata: (start, end) => {
        value += html.slice(start, end)
      },
      onattribentity: (code) => {
        value += String.fromCodePoint(code)
      },
      onattribend: () => {
        if (READ_ATTRIBUTES.has(attribute)) attributes[attribute] ??= value
        value = ''
      },
      onopentagend: open,
      onselfclosingtag: () => {
        open()
        if (inForeignContext()) tags.close(name)
      },
      onclosetag: (start, end) => tags.close(html.slice(start, end).toLowerCase()),
      oncdata: (start, end, offset) => handler.text(html.slice(start, end - offset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => tags.closeAll(),
      isInForeignContext: inForeignContext,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
}

/** A body without any tag is plain text. */
export function hasMarkup(text: string): boolean {
  return /<[a-z!/?]/i.test(text)
}

const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const TABLE_PARTS = new Set(['caption', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'])
const ITEMS = new Set(['li', 'dt', 'dd'])
/** Ends an open paragraph; a closing inline tag does not cross it. */
const BLOCKS = new Set([
  ...HEADINGS,
  ...'address article aside blockquote body center details dialog div dl fieldset figcaption figure footer'.split(
    ' ',
  ),
  ...'form header hgroup html legend main menu nav ol p pre search section summary table ul'.split(' '),
])
/** Tags inside never close tags outside. */
const OPAQUE = new Set('button foreignobject iframe noembed noframes noscript object template'.split(' '))
/** Closing tags inside, and the ends that HTML implies, do not reach outside of these. */
const ENCLOSING = new Set([...OPAQUE, 'td', 'th', 'caption', 'table'])
const VOID = new Set(
  'area base br col command embed frame hr img input keygen link meta param source track wbr'.split(' '),
)
/** Inline tags whose end matters. Others share one name, so that names cannot exhaust memory. */
const NAMED_INLINE = new Set([
  ...OPAQUE,
  ...'a annotation time script style svg math title head select textarea'.split(' '),
])
/** Tracked only to match their own end, so that a stray closing tag does not reveal hidden text. */
const PLAIN_INLINE = new Set(
  (
    'abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q rt ruby s samp small span strike strong ' +
    'sub sup text tspan tt u var'
  ).split(' '),
)
const READ_ATTRIBUTES = new Set(
  (
    'alt aria-hidden checked class colspan data-emoji-fallback data-emoji-id data-emoji-shortname ' +
    'data-emoticon-name data-image-src data-inline-task-id data-language data-linked-resource-default-alias ' +
    'data-macro-name data-syntaxhighlighter-params datetime encoding height hidden href open reversed role ' +
    'rowspan src start style title type value width x'
  ).split(' '),
)
/** The name reported for the end of other inline tags. */
export const INLINE = 'inline'

class OpenTags {
  readonly #handler: MarkupHandler
  readonly #names: string[] = []
  readonly #positions = new Map<string, number[]>()
  readonly #blocks: number[] = []
  readonly #enclosing: number[] = []
  readonly #opaque: number[] = []

  constructor(handler: MarkupHandler) {
    this.#handler = handler
  }

  isOpen(name: string): boolean {
    return this.#last(name) >= 0
  }

  open(name: string, attributes: Attributes): void {
    this.#closeImplied(name)
    this.#handler.open(name, attributes)
    if (VOID.has(name)) {
      this.#handler.close(name)
      return
    }
    const tracked = trackedName(name)
    const position = this.#names.push(tracked) - 1
    refuseDeepMarkup(this.#names.length)
    const positions = this.#positions.get(tracked)
    if (positions) positions.push(position)
    else this.#positions.set(tracked, [position])
    if (isBlock(tracked)) this.#blocks.push(position)
    if (ENCLOSING.has(tracked)) this.#enclosing.push(position)
    if (OPAQUE.has(tracked)) this.#opaque.push(position)
  }

  close(name: string): void {
    if (name === 'br') {
      this.open(name, {})
      return
    }
    const tracked = trackedName(name)
    const position = this.#last(tracked)
    if (position >= 0 && position >= this.#boundary(tracked)) this.#closeFrom(position)
  }

  closeAll(): void {
    this.#closeFrom(0)
  }

  #closeFrom(position: number): void {
    while (this.#names.length > position) {
      const name = this.#names.pop() ?? INLINE
      this.#positions.get(name)?.pop()
      if (isBlock(name)) this.#blocks.pop()
      if (ENCLOSING.has(name)) this.#enclosing.pop()
      if (OPAQUE.has(name)) this.#opaque.pop()
      this.#handler.close(PLAIN_INLINE.has(name) ? INLINE : name)
    }
  }

  /** Closes what HTML allows to stay open: paragraphs, list items, rows, cells. */
  #closeImplied(name: string): void {
    if (name === 'hr' || BLOCKS.has(name)) this.#closeSince(this.#last('p'), this.#innermostEnclosing())
    if (HEADINGS.has(name)) {
      const block = this.#blocks.at(-1) ?? -1
      if (HEADINGS.has(this.#names[block] ?? '')) this.#closeFrom(block)
    } else if (name === 'li') this.#closeSince(this.#last('li'), this.#boundary('li'))
    else if (name === 'dt' || name === 'dd') {
      this.#closeSince(Math.max(this.#last('dt'), this.#last('dd')), this.#boundary('dd'))
    } else if (name === 'td' || name === 'th') this.#closeFirst(['td', 'th', 'caption'])
    else if (name === 'tr') this.#closeFirst(['tr', 'td', 'th', 'caption'])
    else if (TABLE_PARTS.has(name)) this.#closeFirst([...TABLE_PARTS])
    else if (name === 'a') this.#closeSince(this.#last('a'), this.#boundary('a'))
  }

  #closeSince(position: number, boundary: number): void {
    if (position > boundary) this.#closeFrom(position)
  }

  /** Closes the outermost of these parts in the innermost table. */
  #closeFirst(names: string[]): void {
    const boundary = this.#boundary('tr')
    const inside = names.map((name) => this.#last(name)).filter((position) => position > boundary)
    if (inside.length > 0) this.#closeFrom(Math.min(...inside))
  }

  /** A closing tag of this name does not cross this position. */
  #boundary(name: string): number {
    if (name === 'table') return this.#innermostOpaque()
    if (TABLE_PARTS.has(name)) return Math.max(this.#last('table'), this.#innermostOpaque())
    if (name === 'li') {
      return Math.max(this.#last('ul'), this.#last('ol'), this.#last('menu'), this.#innermostEnclosing())
    }
    if (ITEMS.has(name)) return Math.max(this.#last('dl'), this.#innermostEnclosing())
    if (BLOCKS.has(name) || OPAQUE.has(name)) return this.#innermostEnclosing()
    return this.#blocks.at(-1) ?? -1
  }

  #innermostEnclosing(): number {
    return this.#enclosing.at(-1) ?? -1
  }

  #innermostOpaque(): number {
    return this.#opaque.at(-1) ?? -1
  }

  #last(name: string): number {
    return this.#positions.get(name)?.at(-1) ?? -1
  }
}

function isBlock(name: string): boolean {
  return BLOCKS.has(name) || TABLE_PARTS.has(name) || ITEMS.has(name)
}

/** Whether the tag's end is reported as `INLINE`. */
export function endsAsInline(name: string): boolean {
  return !isBlock(name) && !NAMED_INLINE.has(name) && !VOID.has(name)
}

function trackedName(name: string): string {
  return isBlock(name) || NAMED_INLINE.has(name) || PLAIN_INLINE.has(name) ? name : INLINE
}
