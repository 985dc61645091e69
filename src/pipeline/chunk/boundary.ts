const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

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
