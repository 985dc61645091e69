import { type ArchiveParts, unpack } from '../archive.ts'
import { blocksOf } from '../paged.ts'
import type { ReadFile } from '../reading-file.ts'
import { brokenFile, tooLargeFile } from '../refusals.ts'
import { isHiddenSlide } from './hidden.ts'
import { partText, relations } from './relations.ts'
import { slideHtml } from './slide.ts'

export const MAX_SLIDES = 5000

/** Each slide is a page: title, other shapes, then notes. */
export const readPptx: ReadFile = async (file, { progress }) => {
  const parts = unpack(file, (name) => /^ppt\/(_rels\/|presentation\.xml|slides\/|notesSlides\/)/.test(name))
  const names = slidesOf(parts)
  if (names.length === 0) throw brokenFile(file.filename, 'it lists no slides')
  if (names.length > MAX_SLIDES)
    throw tooLargeFile(file.filename, `it has more than ${MAX_SLIDES} slides`, 'Split the file')
  const blocks = names.flatMap((name, index) => {
    const slide = partText(parts, name)
    if (isHiddenSlide(slide)) return []
    const notes = relations(parts, name).find(({ type }) => type.endsWith('/notesSlide'))
    const html = slideHtml(slide) + (notes ? slideHtml(partText(parts, notes.target), 'notes') : '')
    progress()
    return blocksOf([{ html, metadata: { page_number: index + 1 } }], file)
  })
  return { blocks, warnings: [] }
}

/** In presentation order, which file names do not follow. */
function slidesOf(parts: ArchiveParts): string[] {
  const targets = new Map(relations(parts, 'ppt/presentation.xml').map(({ id, target }) => [id, target]))
  const listed = partText(parts, 'ppt/presentation.xml').matchAll(
    /<p:sldId\s[^<>]{0,1000}?r:id="([^"]{1,200})"/g,
  )
  return [...listed].map(([, id = '']) => targets.get(id) ?? '').filter((name) => parts.has(name))
}
