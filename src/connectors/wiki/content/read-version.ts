import type { DocumentRef, SourceDocument } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { isFile, nodeOfRef, pageIdOf } from '../document-page.ts'
import { splitVersion } from '../listing/content-fingerprint.ts'
import { isNotFound } from '../transport/transport.ts'
import { readFile } from './read-file.ts'
import { MAX_PAGE_BYTES, type PageReader, renderStoredPage, tooLarge } from './read-pages.ts'
import { htmlOf } from './storage/rendition.ts'

type EarlierVersion = { ref: DocumentRef; version: string }

/** The body of a version, or its file. The wiki keeps no earlier comments of a version. */
export async function readEarlierVersion(
  reader: PageReader,
  { ref, version }: EarlierVersion,
  signal: AbortSignal,
): Promise<SourceDocument> {
  const { client } = reader.images
  if (isFile(ref)) return readFileVersion(reader, { ref, version }, signal)
  const body = await client
    .bodyOfVersion(nodeOfRef(ref), splitVersion(version).page, signal)
    .catch((error) => {
      throw isNotFound(error) ? notKept({ ref, version }) : error
    })
  if (body.version !== splitVersion(version).page) throw notKept({ ref, version })
  const bytes = Buffer.byteLength(body.storage)
  if (bytes > MAX_PAGE_BYTES) throw tooLarge(ref, `${(bytes / 1024 / 1024).toFixed(1)} MB`)
  await reader.mentions.load([body.storage], signal)
  const { rendition } = await renderStoredPage(reader, { ref, body, comments: [] }, signal)
  return { ref, version, filetype: 'text/html', body: htmlOf(rendition.parts) }
}

async function readFileVersion(
  { images: { client } }: PageReader,
  { ref, version }: EarlierVersion,
  signal: AbortSignal,
): Promise<SourceDocument> {
  const outcome = await readFile(client, { ref: { ...ref, version }, accepts: () => true }, signal)
  if ('document' in outcome) return outcome.document
  throw 'error' in outcome ? outcome.error : notKept({ ref, version })
}

function notKept({ ref, version }: EarlierVersion): AppError {
  const what = isFile(ref) ? `file ${ref.filename}` : `page ${pageIdOf(ref)}`
  return new AppError(
    'document_gone',
    `reading version ${splitVersion(version).page} of ${what}: the wiki does not return it`,
  )
}
