export const MAX_HIGHLIGHTS = 3
export const FRAGMENT_SIZE = 240

/** A word in lower case, and where it is in the text. `isSign` is also set for a pair of signs. */
export type WordMatch = { word: string; start: number; end: number; isSign: boolean }

/** The words of a text; signs of languages that join words are words alone and in pairs. */
export function wordsIn(text: string): WordMatch[] {
  const found: WordMatch[] = []
  let before: WordMatch | undefined
  for (const { 0: matched, 1: sign, index } of text.matchAll(WORD)) {
    const isSign = sign !== undefined
    const word = { word: matched.toLowerCase(), start: index, end: index + matched.length, isSign }
    if (isSign && before?.end === index)
      found.push({ ...word, word: before.word + word.word, start: before.start })
    found.push(word)
    before = isSign ? word : undefined
  }
  return found.toSorted((one, other) => one.start - other.start)
}

const SIGN =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}ー]\\p{M}*'
const WORD = new RegExp(`(${SIGN})|(?:(?!${SIGN})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** Passages with the marked words, best first, as escaped HTML. */
export function highlightsOf(text: string, isMarked: (word: string) => boolean): string[] {
  const matches = wordsIn(text).filter(({ word }) => isMarked(word))
  const passages: WordMatch[][] = []
  for (const match of matches) {
    const first = passages.at(-1)?.[0]
    if (first && match.end - first.start <= FRAGMENT_SIZE / 2) passages.at(-1)?.push(match)
    else passages.push([match])
  }
  return passages
    .toSorted((one, other) => scoreOf(other) - scoreOf(one))
    .slice(0, MAX_HIGHLIGHTS)
    .map((passage) => markedPassage(text, passage))
}

/** Different words count more than repeated ones. */
function scoreOf(passage: WordMatch[]): number {
  return new Set(passage.map(({ word }) => word)).size * 100 + passage.length
}

function markedPassage(text: string, passage: WordMatch[]): string {
  const [first, last] = [passage[0]!, passage.at(-1)!]
  const room = Math.max(0, FRAGMENT_SIZE - (last.end - first.start))
  const start = startOf(text, first.start, Math.floor(room / 2))
  const end = endOf(text, last.end, start + FRAGMENT_SIZE)
  let html = ''
  let at = start
  for (const match of joined(passage)) {
    html += `${escapeHtml(text.slice(at, match.start))}<mark>${escapeHtml(text.slice(match.start, match.end))}</mark>`
    at = match.end
  }
  // A cut may split a pair of surrogates.
  return (html + escapeHtml(text.slice(at, end))).toWellFormed().trim()
}

/** Pairs of signs overlap. */
function joined(passage: WordMatch[]): WordMatch[] {
  const whole: WordMatch[] = []
  for (const match of passage) {
    const last = whole.at(-1)
    if (last && match.start < last.end) last.end = Math.max(last.end, match.end)
    else whole.push({ ...match })
  }
  return whole
}

/** After the last sentence end or space within `room` characters. */
function startOf(text: string, at: number, room: number): number {
  if (at <= room) return 0
  const before = text.slice(at - room, at)
  const sentence = /^[\s\S]*(?:[.!?؟۔\n]\s+|[。！？｡]\s*)/.exec(before) ?? /^\S*\s/.exec(before)
  return at - room + (sentence?.[0].length ?? 0)
}

function endOf(text: string, from: number, to: number): number {
  if (to >= text.length) return text.length
  const space = text.lastIndexOf(' ', to)
  return Math.max(from, space > from ? space : to)
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)
}
