import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PDFPageProxy } from 'pdfjs-dist'
import { AppError } from '../../../../errors.ts'
import { passwordProtected } from '../office/binary/reasons.ts'

export const MAX_PAGES = 5000
const MAX_IMAGE_PIXELS = 100_000_000

export type OpenPdf = {
  pages: number
  page(number: number): Promise<PDFPageProxy>
  ops: typeof import('pdfjs-dist')['OPS']
  close(): Promise<void>
}

/** Fonts, character maps and decoders come from the package: no downloads, no scripts. */
export async function openPdf({
  bytes,
  filename,
}: {
  bytes: Uint8Array
  filename: string
}): Promise<OpenPdf> {
  const { getDocument, OPS, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const task = getDocument({
    // A copy, because the library keeps the buffer.
    data: new Uint8Array(bytes),
    cMapUrl: `${join(packageFolder, 'cmaps')}/`,
    cMapPacked: true,
    standardFontDataUrl: `${join(packageFolder, 'standard_fonts')}/`,
    wasmUrl: `${join(packageFolder, 'wasm')}/`,
    iccUrl: `${join(packageFolder, 'iccs')}/`,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: VerbosityLevel.ERRORS,
  })
  const document = await task.promise.catch((cause) => {
    throw (cause as Error).name === 'PasswordException'
      ? passwordProtected(filename)
      : broken(filename, cause)
  })
  if (document.numPages > MAX_PAGES) {
    await task.destroy()
    throw new AppError(
      'document_too_large',
      `reading ${filename}: it has ${document.numPages} pages; at most ${MAX_PAGES} are read`,
      { fix: 'Split the file' },
    )
  }
  return {
    pages: document.numPages,
    page: (number) =>
      document.getPage(number).catch((cause) => {
        throw broken(filename, cause)
      }),
    ops: OPS,
    close: () => task.destroy(),
  }
}

function broken(filename: string, cause: unknown): AppError {
  return new AppError('document_broken', `reading ${filename}: not a readable PDF`, { cause })
}
