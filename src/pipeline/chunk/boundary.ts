const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
// A fixed locale, so that equal texts are cut equally on every machine.
const words = new Intl.Segmenter('en', { granularity: 'word' })

/** White space where a line may break; excludes no-break spaces. */
export function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x1680) return code === 32 || (code >= 9 && code <= 13)
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a && code !== 0x2007) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x205f ||
    code === 0x3000
  )
}

/** Whether a cut at `at` splits no grapheme; an accent may combine with a space. */
export function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  // Below U+0300 only CR LF combines.
  if (before < 0x300 && after < 0x300) return !(before === 13 && after === 10)
  const from = Math.max(0, at - 32)
  return graphemeStart(text, from, at) === at
}

/**
 * The start of the grapheme that covers `at`; `from` must be a boundary. Slices, because the segmenter copies
 * its input.
 */
export function graphemeStart(text: string, from: number, at: number): number {
  if (at >= text.length) return text.length
  const found = graphemes.segment(text.slice(from, at + 2)).containing(at - from)
  return from + (found?.index ?? at - from)
}

/** The first grapheme start from `at` on, or the end of the text. */
export function nextGrapheme(text: string, from: number, at: number): number {
  const window = text.slice(from, at + 200)
  const found = graphemes.segment(window).containing(at - from)
  if (!found || found.index === at - from) return at
  const next = found.index + found.segment.length
  return next < window.length ? from + next : text.length
}

/** Marks that end a sentence without a space: Chinese and Japanese, Arabic, Urdu, Devanagari. */
const SENTENCE_MARKS = '。！？｡؟۔।'
const CLOSING = '」』）］】〉》”’)'

/** Whether a sentence ends before `at`, its closing quotes and brackets included. */
export function endsSentence(text: string, at: number): boolean {
  if (isAny(SENTENCE_MARKS + CLOSING, text[at])) return false
  const mark = isAny(CLOSING, text[at - 1]) ? at - 2 : at - 1
  return isAny(SENTENCE_MARKS, text[mark])
}

function isAny(characters: string, character: string | undefined): boolean {
  return character !== undefined && characters.includes(character)
}

/** Thai, Lao, Burmese, Khmer, Chinese and Japanese have no spaces between words. */
const UNSPACED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Longer than most words; bounds the work. */
const WORD_WINDOW = 32

/** The last start of a word after `from` and up to `at`, in a language without spaces between them; null if none. */
export function wordStart(text: string, from: number, at: number): number | null {
  const first = Math.max(Math.floor(from), at - WORD_WINDOW)
  if (!UNSPACED.test(text.slice(at - 1, at + 1))) return null
  const found = words.segment(text.slice(first, at + WORD_WINDOW / 2)).containing(at - first)
  const start = first + (found?.index ?? 0)
  return start > from && isBoundary(text, start) ? start : null
}
