import type { DocumentWarning, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { isReadByModels, MAX_PICTURE_BYTES } from './enrich/enrichment.ts'
import { pageFromPicture } from './enrich/page-from-picture.ts'
import type { LanguageModel, ModelImage } from './models/model.ts'
import { blocksOf, type HtmlPart } from './partition/files/paged.ts'
import { toElements } from './partition/html.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import type { PartitionResult } from './partition-result.ts'

const PDF = 'application/pdf'
/** Each page costs a request with a picture. */
const MAX_PAGES = 300

/** Whether a model reads this type: pictures and PDFs. */
export function isReadByVlm(filetype: string): boolean {
  return filetype === PDF || isReadByModels(filetype)
}

/** Partitions the untrusted markup that the model returns for each page. */
export async function partitionWithVlm(
  { ref, filetype, body }: SourceDocument,
  {
    model,
    files,
    maxPages = MAX_PAGES,
  }: { model: LanguageModel; files: FileReading | null; maxPages?: number },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const { filename, url } = ref
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const parts: HtmlPart[] = []
  const warnings: DocumentWarning[] = []
  for await (const { page, pages, picture } of pagesOf({ filename, filetype, bytes, url }, files, signal)) {
    if (parts.length === maxPages) {
      const message = `a model reads only the first ${maxPages} pages of a file; the others are missing`
      warnings.push({ code: 'pages_left_out', count: pages - maxPages, message })
      break
    }
    const html = await pageFromPicture(picture, model, signal)
    parts.push({ html, ...(page === null ? {} : { metadata: { page_number: page } }) })
  }
  const target = { title: '', filename, filetype, url, partitionerType: 'vlm' as const }
  return { elements: toElements(blocksOf(parts, ref), target), warnings }
}

type File = { filename: string; filetype: string; bytes: Uint8Array; url: string }

async function* pagesOf(
  file: File,
  files: FileReading | null,
  signal: AbortSignal,
): AsyncGenerator<{ page: number | null; pages: number; picture: ModelImage }> {
  if (file.filetype !== PDF || !files) {
    refuseLargePicture(file)
    yield { page: null, pages: 1, picture: { mime: file.filetype, base64: base64(file.bytes) } }
    return
  }
  const fileToRender = { ...file, strategy: 'auto' as const, languages: [] }
  for await (const { page, pages, png } of files.pictures(fileToRender, signal))
    yield { page, pages, picture: { mime: 'image/png', base64: base64(png) } }
}

function refuseLargePicture({ filename, bytes }: File): void {
  if (bytes.byteLength <= MAX_PICTURE_BYTES) return
  throw new AppError(
    'document_too_large',
    `reading ${filename}: the picture is larger than ${MAX_PICTURE_BYTES / 1_000_000} MB, the limit for models`,
    { fix: 'Make the picture smaller, or use the partitioner auto' },
  )
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
