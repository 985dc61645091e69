import { posix } from 'node:path'
import type { DocumentWarning, Element } from '../../../../document.ts'
import { AppError } from '../../../../errors.ts'
import { detectFiletype } from '../../../../filetype/filetype.ts'
import { assignElementIds } from '../../../element-id.ts'
import { refuseTooManyParts } from '../../../limits.ts'
import type { PartitionResult } from '../../../partition-result.ts'
import type { FileToRead, ReadingContext } from '../reading-file.ts'
import { skippedFile } from '../refusals.ts'
import { isArchive, packedFileReaderOf } from './archive-formats.ts'
import { MAX_DEPTH, type UnpackBudget, unpackBudget } from './limits.ts'
import { cleanPath, isLitter, type PackedFile, refuseLongPath, shownPath } from './packed-file.ts'

/** Reads one file of an archive with the reader of its type. */
type ReadOne = (file: FileToRead, context: ReadingContext) => Promise<PartitionResult>
type Reading = {
  archive: FileToRead
  context: ReadingContext
  readOne: ReadOne
  budget: UnpackBudget
  /** By path: as when unpacking, the last of two files with one path counts. */
  files: Map<string, PartitionResult>
}

/** The elements of every file in an archive, each with its own name, type and path. */
export async function readArchive(
  archive: FileToRead,
  context: ReadingContext,
  readOne: ReadOne,
): Promise<PartitionResult> {
  const files: Reading['files'] = new Map()
  const reading = { archive, context, readOne, files, budget: unpackBudget(archive) }
  await readPackedFiles(archive, { ...reading, within: '', depth: 1 })
  const all = [...files.values()]
  const elements = all.flatMap((each) => each.elements)
  const warnings = all.flatMap((each) => each.warnings)
  if (elements.length === 0) throw nothingReadable(archive, files, warnings)
  return { elements: assignElementIds(elements), warnings: shortened(warnings, archive) }
}

async function readPackedFiles(
  { filename, filetype, bytes }: FileToRead,
  reading: Reading & { within: string; depth: number },
): Promise<void> {
  const { budget, context, files, within } = reading
  const packedFilesOf = await packedFileReaderOf(filetype)
  for await (const packed of packedFilesOf({ filename, bytes }, budget)) {
    const path = cleanPath(`${within}/${packed.path}`)
    if (path === '' || isLitter(path)) continue
    budget.takeFile()
    const result = await outcomeOf({ ...packed, path }, reading)
    // A nested archive has put its files there itself.
    if (result) {
      files.delete(path)
      files.set(path, result)
    }
    context.progress()
  }
}

/** Null for an archive; a failure of one file is a warning. */
async function outcomeOf(
  packed: PackedFile,
  reading: Reading & { depth: number },
): Promise<PartitionResult | null> {
  const { archive, context, readOne, budget, files, depth } = reading
  const { path } = packed
  const filename = posix.basename(path)
  try {
    refuseLongPath(path)
    const bytes = packed.read()
    const filetype = await detectFiletype(bytes, filename, true)
    const file = { ...archive, filename, filetype, bytes, url: '' }
    if (isArchive(filetype)) {
      if (depth >= MAX_DEPTH) throw tooDeep(filename)
      await readPackedFiles(file, { ...reading, within: path, depth: depth + 1 })
      return null
    }
    const { elements, warnings } = await readOne(file, context)
    const before = files.values().reduce((sum, each) => sum + each.elements.length, 0)
    refuseTooManyParts(before + elements.length, archive.filename)
    return { elements: elements.map((element) => inArchive(element, path)), warnings }
  } catch (error) {
    if (error === budget.refusal()) throw error
    return { elements: [], warnings: [leftOut(path, error, archive)] }
  }
}

/** Ids repeat between files until `assignElementIds`, but parents are looked up by id. */
function inArchive(element: Element, path: string): Element {
  const { parent_id: parent, ...metadata } = element.metadata
  const folder = posix.dirname(path)
  return {
    ...element,
    element_id: `${path}\n${element.element_id}`,
    metadata: {
      ...metadata,
      ...(parent === undefined ? {} : { parent_id: `${path}\n${parent}` }),
      ...(folder === '.' ? {} : { file_directory: folder }),
      path_in_archive: path,
    },
  }
}

const LEFT_OUT = 'archive_files_left'

function leftOut(path: string, error: unknown, { filename }: FileToRead): DocumentWarning {
  // Other messages may quote the file.
  const reason = error instanceof AppError ? error.message : 'it cannot be read'
  return { code: LEFT_OUT, count: 1, message: `${filename}: ${shownPath(path)}: ${reason}` }
}

const MAX_WARNINGS = 100

/** An archive of a thousand pictures would repeat one reason a thousand times. */
function shortened(warnings: DocumentWarning[], { filename }: FileToRead): DocumentWarning[] {
  const rest = warnings.slice(MAX_WARNINGS)
  if (rest.length === 0) return warnings
  const count = rest.reduce((sum, each) => sum + each.count, 0)
  const message = `${filename}: ${count.toLocaleString('en')} more files or parts of files`
  return [...warnings.slice(0, MAX_WARNINGS), { code: LEFT_OUT, count, message }]
}

function nothingReadable(
  { filename }: FileToRead,
  files: Reading['files'],
  [first]: DocumentWarning[],
): AppError {
  const why = files.size === 0 ? 'it contains no files' : 'none of its files has text that can be read'
  const example = first ? `. One of ${files.size.toLocaleString('en')}: ${first.message}` : ''
  return skippedFile(filename, `${why}${example}`)
}

function tooDeep(filename: string): AppError {
  return skippedFile(filename, `archives in archives are read to a depth of ${MAX_DEPTH}`)
}
