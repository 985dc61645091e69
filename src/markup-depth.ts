import { AppError } from './errors.ts'

/** Unclosed tags count too. Each level takes memory until the end of the page. */
const MAX_DEPTH = 1_000_000

export function refuseDeepMarkup(depth: number): void {
  if (depth <= MAX_DEPTH) return
  throw new AppError(
    'document_broken',
    `reading markup: its elements are nested more than ${MAX_DEPTH.toLocaleString('en')} levels deep`,
    { fix: 'Close its elements, or leave the document out' },
  )
}
