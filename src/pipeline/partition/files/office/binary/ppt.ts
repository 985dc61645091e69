import { type CompoundFile, openCompoundFile } from '../../../../../filetype/compound-file.ts'
import { refuseTooManyParts } from '../../../../limits.ts'
import { blocksOf } from '../../paged.ts'
import type { ReadFile } from '../../reading-file.ts'
import { brokenFile, parsed, passwordProtected } from '../../refusals.ts'
import { MAX_SLIDES } from '../pptx.ts'
import { type SlideShape, shapesHtml } from '../slide.ts'
import { childOf, childrenOf, PPT, type PptRecord, pptRecordAt } from './ppt-records.ts'
import { type PptShape, shapesOfSlide } from './ppt-shapes.ts'
import { type PptText, textsOf } from './ppt-text.ts'
import { oldVersion } from './reasons.ts'
import { viewOf } from './word-file.ts'

const UNREADABLE = 'not a readable document'
const ENCRYPTED = 0xf3d1c4df
const HIDDEN = 4
const SLIDES = 0
const NOTES = 2

/** A presentation of PowerPoint 97 to 2003: each slide is a page, with its title first and its notes last. */
export const readPpt: ReadFile = async (file, { progress }) => {
  const { filename } = file
  return parsed(filename, UNREADABLE, () => {
    const compound = openCompoundFile(file.bytes)
    if (!compound) throw brokenFile(filename, UNREADABLE)
    const { slides, notes, bytes } = openPresentation(compound, filename)
    refuseTooManyParts(slides.length, filename, MAX_SLIDES)
    // Slides never share content, which would be read again for each.
    let left = bytes
    const blocks = slides.flatMap(({ slide, outline }, index) => {
      progress()
      if (!slide || isHidden(slide)) return []
      const ownNotes = notes.get(notesId(slide)) ?? null
      left -= slide.data.byteLength + (ownNotes?.data.byteLength ?? 0)
      if (left < 0) throw new RangeError('slides overlap')
      const html = slideHtml(shapesOfSlide(slide, outline)) + notesHtml(ownNotes)
      return blocksOf([{ html, metadata: { page_number: index + 1 } }], file)
    })
    return { blocks, warnings: [] }
  })
}

type SlideRef = { id: number; slide: PptRecord | null; outline: PptText[] }

function openPresentation(file: CompoundFile, filename: string) {
  const stream = viewOf(file.stream('PowerPoint Document'))
  const user = viewOf(file.stream('Current User'))
  if (user.byteLength < 20 || file.has('PP40')) throw oldVersion(filename, 'PowerPoint 95 or older')
  if (user.getUint32(12, true) === ENCRYPTED) throw passwordProtected(filename)
  const { addresses, document: id } = addressesOf(stream, user.getUint32(16, true))
  const recordOf = (reference: number) => {
    const at = addresses.get(reference)
    return at === undefined ? null : pptRecordAt(stream, at)
  }
  const document = recordOf(id)
  if (document?.type !== PPT.DOCUMENT) throw brokenFile(filename, UNREADABLE)
  const list = (instance: number): SlideRef[] => {
    for (const child of childrenOf(document))
      if (child.type === PPT.SLIDE_LIST && child.instance === instance) return slideRefs(child, recordOf)
    return []
  }
  const notes = new Map(list(NOTES).map(({ id: notesNumber, slide }) => [notesNumber, slide]))
  return { slides: list(SLIDES), notes, bytes: stream.byteLength }
}

/** Each save adds addresses of changed records; the newest count. */
function addressesOf(stream: DataView, newest: number): { addresses: Map<number, number>; document: number } {
  const addresses = new Map<number, number>()
  let document = 0
  let last = Number.POSITIVE_INFINITY
  for (let at = newest; at > 0 && at < last; ) {
    const edit = pptRecordAt(stream, at)
    if (edit?.type !== PPT.USER_EDIT || edit.data.byteLength < 20) break
    document ||= edit.data.getUint32(16, true)
    const directory = pptRecordAt(stream, edit.data.getUint32(12, true))
    if (directory?.type === PPT.ADDRESSES) addAddresses(directory.data, addresses)
    // Older saves come earlier in the file, so a loop is impossible.
    last = at
    at = edit.data.getUint32(8, true)
  }
  return { addresses, document }
}

function addAddresses(data: DataView, addresses: Map<number, number>): void {
  for (let at = 0; at + 4 <= data.byteLength; ) {
    const head = data.getUint32(at, true)
    const [first, count] = [head & 0xfffff, head >>> 20]
    at += 4
    for (let index = 0; index < count && at + 4 <= data.byteLength; index++, at += 4)
      if (!addresses.has(first + index)) addresses.set(first + index, data.getUint32(at, true))
  }
}

/** A reference to each slide, followed by its texts in the outline. */
function slideRefs(list: PptRecord, recordOf: (reference: number) => PptRecord | null): SlideRef[] {
  const refs: (SlideRef & { from: number; to: number })[] = []
  let at = 0
  for (const child of childrenOf(list)) {
    const next = at + 8 + child.data.byteLength
    if (child.type === PPT.SLIDE_REF && child.data.byteLength >= 16)
      refs.push({
        id: child.data.getUint32(12, true),
        slide: recordOf(child.data.getUint32(0, true)),
        outline: [],
        from: next,
        to: next,
      })
    else if (refs.length > 0) refs.at(-1)!.to = next
    at = next
  }
  return refs.map(({ from, to, ...ref }) => {
    const data = new DataView(list.data.buffer, list.data.byteOffset + from, to - from)
    return { ...ref, outline: textsOf({ data }) }
  })
}

function isHidden(slide: PptRecord): boolean {
  const info = childOf(slide, PPT.SLIDE_SHOW)?.data
  return info !== undefined && info.byteLength >= 12 && (info.getUint16(10, true) & HIDDEN) !== 0
}

function notesId(slide: PptRecord): number {
  const atom = childOf(slide, PPT.SLIDE_ATOM)?.data
  return atom && atom.byteLength >= 20 ? atom.getUint32(16, true) : 0
}

const PLACEHOLDERS = { title: 'title', subtitle: 'subTitle', body: 'body', notes: 'body', other: '' }

function slideHtml(shapes: PptShape[]): string {
  return shapesHtml(
    shapes.flatMap(({ texts, rows, top, left }): SlideShape[] =>
      rows
        ? [{ kind: '', paragraphs: [], rows, top, left }]
        : texts.map(({ kind, paragraphs }) => ({ kind: PLACEHOLDERS[kind], paragraphs, rows, top, left })),
    ),
  )
}

function notesHtml(notes: PptRecord | null): string {
  if (!notes) return ''
  const texts = shapesOfSlide(notes, []).flatMap((shape) => shape.texts)
  const wanted = texts.filter(({ kind }) => kind === 'notes')
  return slideHtml([{ texts: wanted, rows: null, top: 0, left: 0 }])
}
