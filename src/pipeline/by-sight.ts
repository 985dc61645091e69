import type { Element, SourceDocument } from '../document.ts'
import { isReadByModels } from './enrich/enrichment.ts'
import { pageFromPicture } from './enrich/page-from-picture.ts'
import type { Model, Picture } from './models/model.ts'
import { blocksOf, type HtmlPart } from './partition/files/paged.ts'
import { toElements } from './partition/html.ts'
import type { FileReading } from './partition/reading/file-reading.ts'

const PDF = 'application/pdf'

/** What a model reads better than we do: pictures, and pages that are drawn rather than written. */
export function isReadBySight(filetype: string): boolean {
  return filetype === PDF || isReadByModels(filetype)
}

/** Each page of the file as a model reads it. What it says is markup of nobody's, and read like any page. */
export async function partitionBySight(
  { ref, filetype, body }: SourceDocument,
  { model, files }: { model: Model; files: FileReading | null },
  signal: AbortSignal,
): Promise<Element[]> {
  const { filename, url } = ref
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const parts: HtmlPart[] = []
  for await (const { page, picture } of pagesOf({ filename, filetype, bytes, url }, files, signal)) {
    const html = await pageFromPicture(picture, model, signal)
    parts.push({ html, ...(page === null ? {} : { metadata: { page_number: page } }) })
  }
  return toElements(blocksOf(parts, ref), { title: '', filename, filetype, url, partitionerType: 'vlm' })
}

type File = { filename: string; filetype: string; bytes: Uint8Array; url: string }

async function* pagesOf(
  file: File,
  files: FileReading | null,
  signal: AbortSignal,
): AsyncGenerator<{ page: number | null; picture: Picture }> {
  if (file.filetype !== PDF || !files) {
    yield { page: null, picture: { mime: file.filetype, base64: base64(file.bytes) } }
    return
  }
  const drawn = { ...file, strategy: 'auto' as const, languages: [] }
  for await (const { page, png } of files.pictures(drawn, signal))
    yield { page, picture: { mime: 'image/png', base64: base64(png) } }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
