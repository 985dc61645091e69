import { AppError } from '../../errors.ts'

/** Enough to tell, and never more work than a small page. */
const SAMPLE = 100_000

/**
 * Refuses bytes that were never text. Stray controls occur in pages that were pasted together and are simply
 * left out; when one character in ten is a control or a replacement, it is a file under a wrong name.
 */
export function refuseBinary(body: string, filename: string): void {
  const sample = body.slice(0, SAMPLE)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
  const unreadable = sample.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0
  if (unreadable * 10 <= sample.length && !SIGNATURES.some((start) => sample.startsWith(start))) return
  throw new AppError('document_broken', `partitioning ${filename}: its content is binary, not text or HTML`, {
    fix: 'Open the page in the wiki and check what it holds',
  })
}

const SIGNATURES = [
  '%PDF-',
  'PK\u0003\u0004',
  '\u0089PNG',
  '\ufffdPNG',
  'GIF89a',
  '\u001f\u008b',
  '\u001f\ufffd',
]
