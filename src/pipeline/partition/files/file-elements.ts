import { refuseLargeElements, refuseLargeText, refuseTooManyParts } from '../../limits.ts'
import type { PartitionResult } from '../../partition-result.ts'
import { toElements } from '../html.ts'
import { isText, partitionTextDocument } from '../text.ts'
import { isArchive } from './archives/archive-formats.ts'
import { readArchive } from './archives/read-archive.ts'
import { fileReaderOf } from './formats.ts'
import type { FileToRead, ReadingContext } from './reading-file.ts'

/** Any file → elements. Blocks the process, and may crash it. */
export async function fileElements(file: FileToRead, context: ReadingContext): Promise<PartitionResult> {
  const result = await readElements(file, context)
  refuseLargeElements(result.elements, file.filename)
  return result
}

async function readElements(file: FileToRead, context: ReadingContext): Promise<PartitionResult> {
  const { filename, filetype, url, bytes } = file
  if (isArchive(filetype)) return readArchive(file, context, fileElements)
  if (isText(filetype)) {
    refuseLargeText(bytes.length, filename)
    const text = { body: bytes, title: '', filename, filetype, url }
    return { elements: partitionTextDocument(text), warnings: [] }
  }
  const reader = await fileReaderOf(file)
  const { blocks, warnings } = await reader(file, context)
  refuseTooManyParts(blocks.length, filename)
  return { elements: toElements(blocks, { title: '', filename, filetype, url }), warnings }
}
