import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { AppError } from '../../../../errors.ts'

/** Each language is an npm package; missing ones are never downloaded. */
export function languageFile(code: string): string {
  const folder = packageFolder(code)
  if (folder) return join(folder, '4.0.0_best_int', `${code}.traineddata.gz`)
  throw new AppError('invalid_request', `reading by OCR: ${missingLanguages([code])}`)
}

/** An error text for languages without OCR data; null if all are installed. */
export function missingLanguages(codes: string[]): string | null {
  const missing = codes.filter((code) => packageFolder(code) === null)
  if (missing.length === 0) return null
  const names = missing.map((code) => JSON.stringify(code.slice(0, 50))).join(', ')
  const [first = ''] = missing.filter((code) => CODE.test(code))
  return `OCR has no data for ${names}${first ? `; install @tesseract.js-data/${first} next to Millrace` : ''}`
}

const CODE = /^[a-z]{3}(_[a-z]{2,10})?$/

function packageFolder(code: string): string | null {
  try {
    if (!CODE.test(code)) return null
    return dirname(createRequire(import.meta.url).resolve(`@tesseract.js-data/${code}/package.json`))
  } catch {
    return null
  }
}
