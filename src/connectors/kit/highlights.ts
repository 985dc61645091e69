export const MAX_HIGHLIGHTS = 3
export const FRAGMENT_SIZE = 240

/** A word in lower case, and where it is in the text. */
export type WordMatch = { word: string; start: number; end: number }

/** The words of a text; Chinese and Japanese signs are words. */
export function wordsIn(text: string): WordMatch[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }))
}

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}])[\p{L}\p{N}\p{M}])+/gu

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
  for (const match of passage) {
    html += `${escapeHtml(text.slice(at, match.start))}<mark>${escapeHtml(text.slice(match.start, match.end))}</mark>`
    at = match.end
  }
  // A cut may split a pair of surrogates.
  return (html + escapeHtml(text.slice(at, end))).toWellFormed().trim()
}

/** After the last sentence end or space within `room` characters. */
function startOf(text: string, at: number, room: number): number {
  if (at <= room) return 0
  const before = text.slice(at - room, at)
  const sentence = /^[\s\S]*[.!?。！？\n]\s+/.exec(before) ?? /^\S*\s/.exec(before)
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
