import { endsSentence, graphemeStart, isBoundary, isSpace, nextGrapheme, wordStart } from './boundary.ts'

/** `from` and `to` exclude the overlap with earlier pieces. */
export type Piece = { text: string; from: number; to: number }

/** The longest overlap: pieces of a long text hold at most four times its characters. */
export function maxOverlap(max: number): number {
  return Math.floor((max * 3) / 4)
}

/**
 * Cuts in the later half at a line end, or after a sentence whose mark needs no space; else between words, else
 * between graphemes. Never cuts a surrogate pair.
 */
export function* splitText(text: string, max: number, wanted: number): Generator<Piece> {
  const overlap = Math.min(wanted, maxOverlap(max))
  let start = 0
  /** Everything before it is already in a piece. */
  let done = 0
  while (done < text.length) {
    const cut = cutPoint(text, { start, done, max })
    if (cut === null) {
      start = done
      continue
    }
    if (text.slice(done, cut).trim() !== '') {
      const from = repeatedFrom(text, { start, done, cut })
      yield { text: text.slice(from, cut).trimEnd(), from: done, to: cut }
    }
    done = skipSpace(text, cut)
    start = overlap > 0 ? overlapStart(text, { start, end: cut, overlap }) : done
    if (start >= cut) start = done
  }
}

/** A piece that adds few characters repeats few: at most three times as many. */
function repeatedFrom(
  text: string,
  { start, done, cut }: { start: number; done: number; cut: number },
): number {
  const overlap = 3 * (cut - done)
  return done - start <= overlap ? start : overlapStart(text, { start, end: done, overlap })
}

/** The end of a text, in whole words if possible, for the overlap. */
export function lastWords(text: string, count: number): string {
  if (count <= 0) return ''
  if (text.length <= count) return text
  const start = Math.max(0, text.length - 2 * count - 64)
  return text.slice(overlapStart(text, { start, end: text.length, overlap: count })).trim()
}

type Window = { start: number; done: number; max: number }

/** Where the piece from `start` ends, after `done`; null if the overlap leaves no room. */
function cutPoint(text: string, { start, done, max }: Window): number | null {
  const end = start + max
  if (end >= text.length) return text.length

  const half = start + max / 2
  let wordBreak = -1
  let sentenceEnd = -1
  for (let at = end; at > done; at--) {
    if (wordBreak !== -1 && at <= half) break
    if (sentenceEnd === -1 && at > half && endsSentence(text, at) && isBoundary(text, at)) sentenceEnd = at
    // A word break is known, so only a line end matters; the test of a boundary is slow.
    if (wordBreak !== -1 && text[at] !== '\n') continue
    if (!isSpace(text, at) || !isBoundary(text, at) || !isBoundary(text, at + 1)) continue
    if (text[at] === '\n' && at > half) return at
    if (wordBreak === -1) wordBreak = at
  }
  if (sentenceEnd !== -1) return sentenceEnd
  if (wordBreak > half) return wordBreak
  const word = wordStart(text, Math.max(half, done), end)
  if (word !== null) return word
  if (wordBreak !== -1) return wordBreak

  const character = graphemeStart(text, start, end)
  if (character > done) return character
  if (start < done) return null
  const insidePair = isLowSurrogate(text.charCodeAt(end)) && isHighSurrogate(text.charCodeAt(end - 1))
  if (!insidePair) return end
  return end - 1 > done ? end - 1 : end + 1
}

/** Stops at the line end: indentation belongs to the next line. */
function skipSpace(text: string, cut: number): number {
  let at = cut
  while (at < text.length && isSpace(text, at) && isBoundary(text, at + 1)) {
    at++
    if (text[at - 1] === '\n') break
  }
  return at
}

function overlapStart(text: string, part: { start: number; end: number; overlap: number }): number {
  const earliest = Math.max(part.start + 1, part.end - part.overlap)
  for (let at = earliest; at < part.end; at++) {
    if (isSpace(text, at - 1) && !isSpace(text, at) && isBoundary(text, at)) return at
  }
  return Math.min(part.end, nextGrapheme(text, part.start, earliest))
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
