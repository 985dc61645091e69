import type { Element, ElementMetadata } from '../../document.ts'
import { assignElementIds } from '../element-id.ts'
import { assignLinks, mergeMetadata, packOrigElements } from './chunk-metadata.ts'
import { ChunkTally, MAX_GROWTH } from './chunk-tally.ts'
import {
  combine,
  isInOtherFile,
  isOnOtherPage,
  isPicture,
  isTable,
  type Pack,
  packElements,
  SEPARATOR,
} from './pack.ts'
import type { CharacterSettings, TitleSettings } from './settings.ts'
import { splitTable } from './split-table.ts'
import { lastWords, type Piece, splitText } from './split-text.ts'

/** Starts a chunk at each Title and joins short sections. */
export function chunkByTitle(elements: readonly Element[], settings: TitleSettings): Element[] {
  const sections = packElements(
    elements,
    settings,
    (element, previousText) =>
      element.type === 'Title' || (!settings.multipage_sections && isOnOtherPage(element, previousText)),
  )
  return toChunks(combine(sections, settings), settings)
}

/** Fills chunks in order, regardless of element types. */
export function chunkByCharacter(elements: readonly Element[], settings: CharacterSettings): Element[] {
  return chunkWhere(elements, settings, () => false)
}

/** Never mixes pages in a chunk, overlap included. */
export function chunkByPage(elements: readonly Element[], settings: CharacterSettings): Element[] {
  return toChunks(packElements(elements, settings, isOnOtherPage), settings, isOnOtherPage)
}

/** Starts a new chunk wherever `startsNew` returns true. */
export function chunkWhere(
  elements: readonly Element[],
  settings: CharacterSettings,
  startsNew: (element: Element, previousText: Element) => boolean,
): Element[] {
  return toChunks(packElements(elements, settings, startsNew), settings)
}

/** Tables and pictures have no overlap, because a row means nothing under another heading. */
function toChunks(
  packs: Pack[],
  settings: CharacterSettings,
  breaksOverlap: (element: Element, previousText: Element) => boolean = () => false,
): Element[] {
  const chunks: Element[] = []
  const tally = new ChunkTally(
    packs.flatMap(({ elements }) => elements),
    settings,
  )
  const context = { settings, tally }
  let previousText = ''
  let last: Element | undefined
  for (const { elements } of packs) {
    const first = elements[0]
    if (!first) continue
    if (last && (isInOtherFile(first, last) || breaksOverlap(first, last))) previousText = ''
    const split = isTable(first) ? tableChunks : isPicture(first) ? pictureChunks : null
    const parts = split ? split(first, context) : textChunks(elements, previousText, context)
    for (const chunk of parts) chunks.push({ ...chunk, element_id: String(chunks.length) })
    previousText = split ? '' : (chunks.at(-1)?.text ?? '')
    last = elements.at(-1)
  }
  return assignElementIds(chunks)
}

type ChunkContext = { settings: CharacterSettings; tally: ChunkTally }

function textChunks(elements: Element[], previousText: string, context: ChunkContext): Element[] {
  const { settings, tally } = context
  const { max_characters: max, overlap } = settings
  const own = elements.map((element) => element.text).join(SEPARATOR)
  if (own.length <= max) {
    const maxLength = Math.min(max, MAX_GROWTH * elements.reduce((sum, { text }) => sum + text.length, 0))
    const room = maxLength - own.length - SEPARATOR.length
    const prefix = lastWords(previousText, settings.overlap_all ? Math.min(overlap, room) : 0)
    const text = prefix === '' ? own : `${prefix}${SEPARATOR}${own}`
    tally.add(text)
    return [
      {
        type: 'CompositeElement',
        element_id: '',
        text,
        metadata: {
          ...mergeMetadata(elements),
          ...(settings.include_orig_elements ? { orig_elements: packOrigElements(elements) } : {}),
        },
      },
    ]
  }
  // Only a pack of one element can be too long.
  const element = elements[0]!
  const pieces = collect(splitText(own, max, overlap), tally)
  return splitElement(element, pieces, context).map((part) => ({ ...part, type: 'CompositeElement' }))
}

function tableChunks(table: Element, context: ChunkContext): Element[] {
  const { settings, tally } = context
  const { max_characters: max, overlap } = settings
  const html = table.metadata.text_as_html
  if (table.text.length <= max) {
    const metadata: ElementMetadata = {
      ...mergeMetadata([table]),
      ...(html === undefined ? {} : { text_as_html: html }),
      ...(settings.include_orig_elements ? { orig_elements: packOrigElements([table]) } : {}),
    }
    tally.add(table.text)
    return [{ type: 'Table', element_id: '', text: table.text, metadata }]
  }
  const pieces = collect(splitTable(table.text, html, { max, overlap }), tally)
  return splitElement(table, pieces, context).map((part, index) => ({
    ...part,
    type: 'TableChunk',
    metadata: { ...part.metadata, text_as_html: pieces[index]?.html ?? '' },
  }))
}

/** The first chunk holds the picture; its text may continue in others. */
function pictureChunks(picture: Element, context: ChunkContext): Element[] {
  const { max_characters: max, overlap } = context.settings
  const { image_base64, image_mime_type, image_url } = picture.metadata
  const cut = collect(splitText(picture.text, max, overlap), context.tally)
  const pieces = cut.length > 0 ? cut : [{ text: '', from: 0, to: 0 }]
  const [first, ...rest] = splitElement(picture, pieces, context)
  if (!first) return []
  const metadata: ElementMetadata = {
    ...first.metadata,
    ...(image_base64 === undefined ? {} : { image_base64 }),
    ...(image_mime_type === undefined ? {} : { image_mime_type }),
    ...(image_url === undefined ? {} : { image_url }),
  }
  return [{ ...first, metadata }, ...rest]
}

function splitElement(element: Element, pieces: Piece[], { settings, tally }: ChunkContext): Element[] {
  const { link_urls: _urls, link_texts: _texts, ...common } = mergeMetadata([element])
  const origin = settings.include_orig_elements ? packOrigElements([element]) : null
  const everyPart = origin !== null && tally.takeOrigin(origin, pieces.length)
  const links = assignLinks(element, pieces)
  return pieces.map((piece, index) => ({
    type: element.type,
    element_id: '',
    text: piece.text,
    metadata: {
      ...common,
      ...links[index],
      ...(index > 0 ? { is_continuation: true } : {}),
      ...(origin !== null && (index === 0 || everyPart) ? { orig_elements: origin } : {}),
    },
  }))
}

/** Counts while iterating, so that a document with too many pieces fails early. */
function collect<P extends Piece>(pieces: Iterable<P>, tally: ChunkTally): P[] {
  const collected: P[] = []
  for (const piece of pieces) {
    tally.add(piece.text)
    collected.push(piece)
  }
  return collected
}
