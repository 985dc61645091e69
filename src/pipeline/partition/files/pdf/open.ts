import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PDFPageProxy } from 'pdfjs-dist'
import type { FileToRead } from '../reading-file.ts'
import { brokenFile, parsed, passwordProtected, tooLargeFile } from '../refusals.ts'

export const MAX_PAGES = 5000
const MAX_IMAGE_PIXELS = 100_000_000
const UNREADABLE = 'not a readable PDF'

export type OpenPdf = {
  pages: number
  page(number: number): Promise<PDFPageProxy>
  ops: typeof import('pdfjs-dist')['OPS']
  close(): Promise<void>
}

/** Fonts, character maps and decoders come from the package: no downloads, no scripts. */
export async function openPdf({ bytes, filename }: FileToRead): Promise<OpenPdf> {
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
    throw cause.name === 'PasswordException'
      ? passwordProtected(filename)
      : brokenFile(filename, UNREADABLE, cause)
  })
  if (document.numPages > MAX_PAGES) {
    await task.destroy()
    const what = `it has ${document.numPages} pages; at most ${MAX_PAGES} are read`
    throw tooLargeFile(filename, what, 'Split the file')
  }
  return {
    pages: document.numPages,
    page: (number) => parsed(filename, UNREADABLE, () => document.getPage(number)),
    ops: OPS,
    close: () => task.destroy(),
  }
}
