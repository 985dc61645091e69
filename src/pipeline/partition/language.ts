import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ISO_639_3 } from './language-codes.ts'
import { type LanguageData, readLanguageData } from './language-data.ts'

/** A sentence suffices; each further 100 bytes cost 15 µs per page. */
const PIECE_BYTES = 90
/** Of all certain pieces together: about 15 English words, or 27 Japanese characters. */
const MIN_BYTES = 80
/** At 0.75, Kazakh is taken for Russian and Luxembourgish for German. */
const MIN_SCORE = 0.84

/** ISO 639-3. Undefined unless most pieces of prose are certain and none contradicts. */
export function detectLanguage(text: string): string | undefined {
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
  const result = load().detect(piece)
  return result.isReliable(MIN_SCORE) ? ISO_639_3[result.language] : undefined
}

/** The package's types omit this parameter; its default is 0.75. */
type Detector = {
  detect(text: string): { language: string; isReliable(minShare: number): boolean }
}

type DetectorModule = {
  createEld(): { instance: Detector; loadData(data: LanguageData): unknown }
}

let detector: Detector | undefined

/** Loads on first use: it takes 22 MB. */
function load(): Detector {
  detector ??= create()
  return detector
}

function create(): Detector {
  // `require`, because partitioning is synchronous; the package only exports to `import`.
  const load = createRequire(import.meta.url)
  const entry = import.meta.resolve('eld/extrasmall')
  const pathOf = (relative: string) => fileURLToPath(new URL(relative, entry))
  const data = readLanguageData(readFileSync(pathOf('../ngrams/extrasmall.js'), 'utf8'))
  // Another form of the data: the package reads it itself, with 86 MB.
  if (!data) return (load(fileURLToPath(entry)) as { eld: Detector }).eld
  const { instance, loadData } = (load(pathOf('../languageDetector.js')) as DetectorModule).createEld()
  loadData(data)
  return instance
}
