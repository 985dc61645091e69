const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** White space where a line may be broken; a no-break space is none. */
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

/** Whether a cut beside white space at `at` leaves every character whole: an accent may stand on a space. */
export function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  // Below U+0300 nothing combines but the two halves of a line end.
  if (before < 0x300 && after < 0x300) return !(before === 13 && after === 10)
  const from = Math.max(0, at - 32)
  return graphemeStart(text, from, at) === at
}

/**
 * The start of the character that covers `at`, seen from `from`, which has to be a boundary itself. Only the
 * piece between them is looked at: the segmenter copies what it is given.
 */
export function graphemeStart(text: string, from: number, at: number): number {
  if (at >= text.length) return text.length
  const found = graphemes.segment(text.slice(from, at + 2)).containing(at - from)
  return from + (found?.index ?? at - from)
}

/** The first place from `at` on where a character begins; the end of the text where none is near. */
export function nextGrapheme(text: string, from: number, at: number): number {
  const window = text.slice(from, at + 200)
  const found = graphemes.segment(window).containing(at - from)
  if (!found || found.index === at - from) return at
  const next = found.index + found.segment.length
  return next < window.length ? from + next : text.length
}
