import type { DocumentRef } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { detectFiletype, isCertain } from '../../../filetype/filetype.ts'
import { unsupportedFile } from '../../../filetype/unsupported.ts'
import type { Accepts, ReadOutcome } from '../../source.ts'
import type { WikiClient } from '../client.ts'
import { pageIdOf } from '../document-page.ts'
import { isNotFound, isTooLong } from '../transport/transport.ts'

/** A file is in memory while it is processed. */
const MAX_FILE_BYTES = 100_000_000

/** Partitioning larger texts takes seconds. */
const MAX_TEXT_BYTES = 20_000_000

/** Detects the type by content; stops early if it is not accepted. */
export async function readFile(
  client: WikiClient,
  { ref, accepts }: { ref: DocumentRef; accepts: Accepts },
  signal: AbortSignal,
): Promise<ReadOutcome> {
  const id = ref.locator.attachment_id ?? ''
  const shouldContinue = async (head: Uint8Array) => {
    const filetype = await detectFiletype(head, ref.filename, false)
    return accepts(filetype) || !isCertain(filetype)
  }
  try {
    const file = { id, pageId: pageIdOf(ref), version: ref.version }
    const downloaded = await client.download(file, { maxBytes: MAX_FILE_BYTES, shouldContinue }, signal)
    if (!downloaded) return { ref, relist: true }
    const { bytes, complete } = downloaded
    const filetype = await detectFiletype(bytes, ref.filename, complete)
    if (!complete || !accepts(filetype)) return { ref, error: unsupportedFile(ref.filename, filetype) }
    if (isText(filetype) && bytes.length > MAX_TEXT_BYTES)
      return { ref, error: tooLarge(ref, MAX_TEXT_BYTES) }
    return { ref, document: { ref, version: ref.version, filetype, body: bytes } }
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (isNotFound(error)) return { ref, error: gone(ref) }
    return { ref, error: isTooLong(error) ? tooLarge(ref, MAX_FILE_BYTES) : error }
  }
}

function isText(filetype: string): boolean {
  return /^text\/|\b(json|xml)$/.test(filetype)
}

function gone(ref: DocumentRef): AppError {
  return new AppError(
    'document_gone',
    `reading ${ref.filename} of page ${pageIdOf(ref)}: it is no longer there`,
  )
}

function tooLarge({ filename }: DocumentRef, maxBytes: number): AppError {
  const message = `reading ${filename}: it is larger than ${maxBytes / 1_000_000} MB, the maximum`
  return new AppError('file_too_large', message)
}
