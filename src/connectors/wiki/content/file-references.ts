import { extname } from 'node:path'
import { type Compute, MAX_INLINE_LENGTH } from '../../../compute.ts'
import type { FileInfo } from '../client.ts'
import { fileAt, filesInMarkup, OWN_PAGE } from './file-addresses.ts'
import { decodeEntities } from './storage/entities.ts'
import { isSamePage, type PageContext } from './storage/links.ts'
import { readStorage, type StorageAttributes, type StorageHandler } from './storage/reader.ts'

/**
 * The files that a body shows or links to, by the page they are attached to: `OWN_PAGE`, `/ID`, or `SPACE/TITLE`. A file is
 * a name, or a rule that begins with a slash: names contain none.
 */
export type FileReferences = { [page: string]: string[] }

const ALL_FILES = '/all'
const ALL_IMAGES = '/images'

export function matchesFile(references: ReadonlySet<string>, file: FileInfo): boolean {
  const { id, title, mediaType, mediaId } = file
  return (
    references.has(ALL_FILES) ||
    references.has(title.normalize()) ||
    references.has(`/file/${id.replace(/^att/, '')}`) ||
    (mediaId !== null && references.has(`/media/${mediaId}`)) ||
    (references.has(ALL_IMAGES) && /^image\//.test(mediaType ?? ''))
  )
}

export type BodyToSearch = { storage: string; page: PageContext }

/** A large body would block the process, so it is searched in another one. */
export async function fileReferences(
  input: BodyToSearch,
  compute: Compute | undefined,
  signal: AbortSignal,
): Promise<FileReferences> {
  if (!compute || input.storage.length <= MAX_INLINE_LENGTH) return fileReferencesHere(input)
  const module = new URL(`file-references${extname(import.meta.url)}`, import.meta.url).href
  const task = { module, name: 'fileReferencesHere', filename: `page ${input.page.pageId}`, input }
  // `fileReferencesHere` made it.
  return (await compute(task, signal)) as FileReferences
}

/** Called in the other process. */
export function fileReferencesHere({ storage, page }: BodyToSearch): FileReferences {
  const search = new ReferenceSearch(page)
  readStorage(storage, search)
  return Object.fromEntries([...search.found].map(([of, files]) => [of, [...files].toSorted()]))
}

type OpenMacro = { depth: number; name: string; page: string; parameters: Map<string, string> }
type OpenText = { depth: number; key: string; text: string }
type OpenFile = { depth: number; name: string; page: string }

class ReferenceSearch implements StorageHandler {
  readonly found = new Map<string, Set<string>>()
  readonly #page: PageContext
  readonly #macros: OpenMacro[] = []
  readonly #texts: OpenText[] = []
  #file: OpenFile | null = null
  #depth = 0

  constructor(page: PageContext) {
    this.#page = page
  }

  text(html: string): void {
    const open = this.#texts.at(-1)
    if (open) open.text += html
  }

  open(name: string, attributes: StorageAttributes): void {
    const depth = ++this.#depth
    const macro = macroName(name, attributes)
    if (macro !== null) this.#macros.push({ depth, name: macro, page: OWN_PAGE, parameters: new Map() })
    const key = textKey(name, attributes)
    if (key !== null) this.#texts.push({ depth, key, text: '' })
    if (name === 'ri:attachment')
      this.#file = { depth, name: decodeEntities(attributes['ri:filename'] ?? ''), page: OWN_PAGE }
    else if (/^ri:(?:page|blog-post|content-entity)$/.test(name))
      this.#setPage(pageKey(name, attributes, this.#page))
    const address = { a: attributes.href, img: attributes.src, 'ri:url': attributes['ri:value'] }[name]
    if (address) this.#addAddress(decodeEntities(address))
  }

  close(): void {
    const depth = this.#depth--
    if (this.#file?.depth === depth) {
      this.#add(this.#file.page, this.#file.name)
      this.#file = null
    }
    if (this.#texts.at(-1)?.depth === depth) this.#closeText(this.#texts.pop()!)
    if (this.#macros.at(-1)?.depth === depth) this.#closeMacro(this.#macros.pop()!)
  }

  /** The page of a file, or of the files that a macro shows. */
  #setPage(page: string): void {
    const macro = this.#macros.at(-1)
    if (this.#file) this.#file.page = page
    else if (macro && this.#texts.at(-1)?.key === 'page') macro.page = page
  }

  #closeText({ key, text }: OpenText): void {
    const value = decodeEntities(text).trim()
    const outer = this.#texts.at(-1)
    // Apps nest the value of a parameter.
    if (key === 'value' && outer && text.length <= MAX_VALUE_LENGTH) outer.text += text
    if (/^(?:id|mediaid)$/.test(key) && /^[\da-f-]{36}$/i.test(value)) this.#add(OWN_PAGE, `/media/${value}`)
    const macro = this.#macros.at(-1)
    if (macro && value !== '' && !macro.parameters.has(key)) macro.parameters.set(key, value)
  }

  #closeMacro({ name, page: named, parameters }: OpenMacro): void {
    const macro = name || (parameters.get('extensionkey') ?? '').split('/').at(-1)!.trim().toLowerCase()
    const page = named || pageParameter(parameters, this.#page)
    if (macro === 'attachments') this.#add(page, ALL_FILES)
    else if (macro === 'gallery') this.#add(page, ALL_IMAGES)
    else if (FILE_MACROS.has(macro)) this.#add(page, parameters.get('name') ?? '')
    else if (DIAGRAM_MACROS.has(macro)) {
      const diagram = parameters.get('diagramname') ?? parameters.get('name') ?? ''
      for (const ending of DIAGRAM_ENDINGS) this.#add(page, diagram && diagram + ending)
    } else if (MARKUP_MACROS.test(macro))
      for (const file of filesInMarkup(parameters.get(BODY) ?? '', this.#page)) this.#add(...file)
  }

  #addAddress(address: string): void {
    const file = fileAt(address, this.#page)
    if (file) this.#add(...file)
  }

  #add(page: string, file: string): void {
    if (file === '') return
    const files = this.found.get(page) ?? new Set()
    this.found.set(page, files.add(file.normalize()))
  }
}

/** Names of files and macros are shorter, and each level of nesting would decode a longer text again. */
const MAX_VALUE_LENGTH = 2000

const FILE_MACROS = new Set('view-file viewpdf viewdoc viewxls viewppt multimedia'.split(' '))
const DIAGRAM_MACROS = new Set('drawio drawio-sketch inc-drawio gliffy'.split(' '))
/** The source of a diagram and the picture that its app stores next to it. */
const DIAGRAM_ENDINGS = ['', '.drawio', '.drawio.png', '.png', '.svg']
const MARKUP_MACROS = /^(?:unmigrated-|markdown|html)/
/** The key of a plain body among the parameters. */
const BODY = '\0body'

/** Null if the element is not a macro; empty if a parameter names it. */
function macroName(name: string, attributes: StorageAttributes): string | null {
  if (name === 'ac:structured-macro' || name === 'ac:macro')
    return decodeEntities(attributes['ac:name'] ?? '').toLowerCase()
  return /^ac:adf-(?:node|leaf)$/.test(name) && /extension$/i.test(attributes.type ?? '') ? '' : null
}

function textKey(name: string, attributes: StorageAttributes): string | null {
  if (name === 'ac:plain-text-body') return BODY
  if (name === 'ac:parameter') return plainKey(attributes['ac:name'])
  return /^ac:adf-(?:attribute|parameter)$/.test(name) ? plainKey(attributes.key) : null
}

function plainKey(key = ''): string {
  return decodeEntities(key).replaceAll('-', '').toLowerCase()
}

function pageKey(name: string, attributes: StorageAttributes, page: PageContext): string {
  if (isSamePage(name, attributes, page)) return OWN_PAGE
  if (name === 'ri:content-entity') return `/${attributes['ri:content-id'] ?? ''}`
  const space = decodeEntities(attributes['ri:space-key'] ?? '')
  const title = decodeEntities(attributes['ri:content-title'] ?? '')
  return `${space === '' || space.endsWith('()') ? page.spaceKey : space}/${title}`
}

/** Old macros name a page as text: `Title` or `KEY:Title`. */
function pageParameter(parameters: Map<string, string>, { pageId, spaceKey, title }: PageContext): string {
  const id = parameters.get('pageid')
  if (id && /^\d+$/.test(id)) return id === pageId ? OWN_PAGE : `/${id}`
  const [, key, name] = /^(?:([A-Za-z0-9~._-]+):)?(.*)$/s.exec(parameters.get('page') ?? '') ?? []
  if (!name || (name === title && (key ?? spaceKey) === spaceKey)) return OWN_PAGE
  return `${key ?? parameters.get('space') ?? spaceKey}/${name}`
}
