import { AppError } from '../../errors.ts'

const SAMPLE_LENGTH = 100_000

/** Pasted text contains a few control characters; more than one in ten means a binary file. */
export function refuseBinary(body: string, filename: string): void {
  const sample = body.slice(0, SAMPLE_LENGTH)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  const unreadable = sample.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g)?.length ?? 0
  if (unreadable * 10 <= sample.length && !SIGNATURES.some((start) => sample.startsWith(start))) return
  throw new AppError('document_broken', `partitioning ${filename}: its content is binary, not text or HTML`, {
    fix: 'Open the document in the source and check its content',
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
