import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ISO_639_3 } from './language-codes.ts'

/** A sentence is enough for the library, and every 100 bytes more cost 15 microseconds a page. */
const PIECE_BYTES = 90
/** About 15 words of English, or 27 characters of Japanese. */
const LEAST_BYTES = 80
/** At 0.75, Kazakh is taken for Russian and Luxembourgish for German. */
const LEAST_SCORE = 0.84

/**
 * The language of a text as ISO 639-3, undefined where it is not certain: a text that is short, mixed or no prose.
 * Its beginning, its middle and its end are judged apart: two of them agree, and none contradicts.
 */
export function detectLanguage(text: string): string | undefined {
  const prose = pieces(text.trim()).filter(isProse)
  const found = prose.map(languageOf)
  const certain = found.filter((language) => language !== undefined)
  if (new Set(certain).size !== 1 || certain.length * 2 <= found.length) return undefined
  const bytes = prose.reduce((sum, piece, at) => (found[at] ? sum + Buffer.byteLength(piece) : sum), 0)
  return bytes >= LEAST_BYTES ? certain[0] : undefined
}

function pieces(text: string): string[] {
  const size = Math.ceil(PIECE_BYTES / bytesPerCharacter(text))
  if (text.length < 2 * size) return [text]
  const last = text.length - size
  const starts = text.length < 3 * size ? [0, last] : [0, Math.floor(last / 2), last]
  return starts.map((start) => text.slice(start, start + size))
}

function bytesPerCharacter(text: string): number {
  const start = text.slice(0, 200)
  return start === '' ? 1 : Buffer.byteLength(start) / start.length
}

/** Code, numbers and addresses have more signs than any language's prose. */
function isProse(piece: string): boolean {
  const signs = piece.match(SIGN)?.length ?? 0
  return signs * 10 < piece.length
}

const SIGN = /[^\p{L}\p{M}\s]/gu

function languageOf(piece: string): string | undefined {
  const result = load().detect(piece)
  return result.isReliable(LEAST_SCORE) ? ISO_639_3[result.language] : undefined
}

/** Its types leave out the share of a language's mean score that counts as reliable; by itself that is 0.75. */
type Detector = {
  detect(text: string): { language: string; isReliable(leastShare: number): boolean }
}

let detector: Detector | undefined

/** Loaded with the first text, in 0.1 s and 30 MB: a help text or an idle service needs none of it. */
function load(): Detector {
  if (detector) return detector
  // Partitioning waits for nothing, so neither does this; the package offers itself to `import` alone.
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'))
  const loaded = createRequire(import.meta.url)(path) as { eld: Detector }
  detector = loaded.eld
  return detector
}
