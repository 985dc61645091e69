import { ISO_639_3 } from './language-codes.ts'
import { createDetector } from './language-detector.ts'
import { readScript } from './script.ts'

/** A sentence suffices. */
const PIECE_BYTES = 90
/** Of all certain pieces together: about 15 English words, or 27 Japanese characters. */
const MIN_BYTES = 80
/** Of the usual score of a language. At 0.75, Kazakh is taken for Russian and Luxembourgish for German. */
const MIN_SHARE = 0.84

/** ISO 639-3. Undefined if it is not certain. */
export function detectLanguage(text: string): string | undefined {
  const script = readScript(text, MIN_BYTES)
  if (script && 'language' in script) return script.language
  return detectPieces(script?.words ?? text)
}

/** Undefined unless most pieces of prose are certain and none contradicts. */
function detectPieces(text: string): string | undefined {
  const prose = pieces(text.trim()).filter(isProse)
  const found = prose.map(languageOf)
  const certain = found.filter((language) => language !== undefined)
  if (new Set(certain).size !== 1 || certain.length * 2 <= found.length) return undefined
  const bytes = prose.reduce((sum, piece, at) => (found[at] ? sum + Buffer.byteLength(piece) : sum), 0)
  return bytes >= MIN_BYTES ? certain[0] : undefined
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

/** Code, numbers and addresses have more symbols than prose. */
function isProse(piece: string): boolean {
  const symbols = piece.match(SYMBOL)?.length ?? 0
  return symbols * 10 < piece.length
}

const SYMBOL = /[^\p{L}\p{M}\s]/gu

function languageOf(piece: string): string | undefined {
  // Loads on first use, because it takes 3 MB and 50 ms.
  detect ??= createDetector()
  const found = detect(piece)
  return found && found.score >= found.usual * MIN_SHARE ? ISO_639_3[found.language] : undefined
}

let detect: ReturnType<typeof createDetector> | undefined
