import { Tokenizer } from 'htmlparser2'
import { refuseDeepMarkup } from '../../../../markup-depth.ts'
import { escapeText, IGNORE_ALL } from './entities.ts'
import { closedLeaves, isLeaf, isWikiElement } from './leaves.ts'

/** Values as written, entities included. */
export type StorageAttributes = { readonly [name: string]: string | undefined }

/** Every `open` has its `close`, properly nested, even for a broken body. */
export type StorageHandler = {
  open(name: string, attributes: StorageAttributes): void
  close(name: string): void
  /** HTML text with entities and without tags. */
  text(html: string): void
}

/** Uses only htmlparser2's tokenizer, because its Parser takes quadratic time. */
export function readStorage(storage: string, handler: StorageHandler): void {
  const elements = new OpenElements(storage, handler)
  let name = ''
  let start = 0
  let attributes: Record<string, string> = {}
  let attribute = ''
  let value = ''
  /** Text that an unclosed quote moved into an attribute. */
  let attributeText = ''
  /** The offset read so far. */
  let readUpTo = 0

  const open = (end: number, isEmpty: boolean) => {
    readUpTo = end + 1
    // `<3` is text, not a tag.
    if (!NAME.test(name)) handler.text(escapeText(storage.slice(start, readUpTo)))
    else elements.open({ name, start, isEmpty }, attributes)
    if (attributeText !== '') handler.text(withoutTags(attributeText))
    attributes = {}
    attributeText = ''
  }

  const skip = (_from: number, to: number) => {
    readUpTo = to + 1
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      ...IGNORE_ALL,
      ontext: (from, to) => {
        readUpTo = to
        handler.text(storage.slice(from, to).replaceAll('<', '&lt;'))
      },
      onopentagname: (from, to) => {
        start = from - 1
        name = storage.slice(from, to).toLowerCase()
      },
      onattribname: (from, to) => {
        attribute = storage.slice(from, to).toLowerCase()
      },
      onattribdata: (from, to) => {
        value += storage.slice(from, to)
      },
      onattribend: () => {
        const broken = value.indexOf('<')
        if (broken >= 0) {
          const end = value.lastIndexOf('>', broken)
          attributeText += value.slice(end < 0 ? broken : end + 1)
          value = value.slice(0, end < 0 ? broken : end)
        }
        attributes[attribute] ??= value
        value = ''
      },
      onopentagend: (end) => open(end, false),
      onselfclosingtag: (end) => open(end, true),
      onclosetag: (from, to) => {
        const end = storage.indexOf('>', to)
        readUpTo = end < 0 ? storage.length : end + 1
        elements.close(storage.slice(from, to).toLowerCase())
      },
      oncdata: (from, to, offset) => {
        readUpTo = to + 1
        handler.text(escapeText(storage.slice(from, to - offset)))
      },
      oncomment: skip,
      ondeclaration: skip,
      onprocessinginstruction: skip,
      onend: () => {
        // The body ends inside a tag; its text still counts.
        if (readUpTo < storage.length) handler.text(withoutTags(storage.slice(readUpTo)))
        elements.closeAll()
      },
    },
  )
  tokenizer.write(storage)
  tokenizer.end()
}

const NAME = /^[a-z_][\w:.-]*$/

function withoutTags(text: string): string {
  return text.replace(/<[^<>]*>?/g, ' ')
}

/** Elements without an end tag. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Ends a leaf that has no end tag. */
const ENDS_LEAF =
  /^(?:ac:(?:parameter|default-parameter|rich-text-body|plain-text-body|structured-macro|macro|task.*|layout.*|adf.*)|p|h[1-6]|table|ul|ol|div|blockquote|pre|hr)$/

type Tag = { name: string; start: number; isEmpty: boolean }

/** Open elements by name with their positions, so that an end tag does not search the stack. */
class OpenElements {
  readonly #handler: StorageHandler
  readonly #names: string[] = []
  readonly #positions = new Map<string, number[]>()
  /** Positions of the wiki's own elements. */
  readonly #wikiPositions: number[] = []
  readonly #leaves: { position: number; start: number }[] = []
  readonly #storage: string
  /** Computed on first use: most bodies have no tags in leaves. */
  #closed: Set<number> | undefined

  constructor(storage: string, handler: StorageHandler) {
    this.#storage = storage
    this.#handler = handler
  }

  open({ name, start, isEmpty }: Tag, attributes: StorageAttributes): void {
    const leaf = this.#leaves.at(-1)
    if (leaf && ENDS_LEAF.test(name) && !this.#isClosed(leaf.start)) this.#closeFrom(leaf.position)
    this.#handler.open(name, attributes)
    if (isEmpty || VOID.has(name)) {
      this.#handler.close(name)
      return
    }
    const position = this.#names.push(name) - 1
    refuseDeepMarkup(this.#names.length)
    const positions = this.#positions.get(name)
    if (positions) positions.push(position)
    else this.#positions.set(name, [position])
    if (isWikiElement(name)) this.#wikiPositions.push(position)
    if (isLeaf(name)) this.#leaves.push({ position, start })
  }

  /** An HTML end tag does not close wiki elements, so a stray `</p>` reveals no hidden body. */
  close(name: string): void {
    const position = this.#positions.get(name)?.at(-1) ?? -1
    if (position < 0) return
    if (!isWikiElement(name) && position < (this.#wikiPositions.at(-1) ?? -1)) return
    this.#closeFrom(position)
  }

  closeAll(): void {
    this.#closeFrom(0)
  }

  #isClosed(start: number): boolean {
    this.#closed ??= closedLeaves(this.#storage)
    return this.#closed.has(start)
  }

  #closeFrom(position: number): void {
    while (this.#names.length > position) {
      const name = this.#names.pop() ?? ''
      this.#positions.get(name)?.pop()
      if (isWikiElement(name)) this.#wikiPositions.pop()
      if (isLeaf(name)) this.#leaves.pop()
      this.#handler.close(name)
    }
  }
}
