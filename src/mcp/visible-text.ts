/** Characters that a model reads and a person does not see; joiners stay, because scripts and emoji need them. */
const INVISIBLE =
  /[^\P{Cc}\n\t]|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu

/** Text of a document as a person sees it. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, '').toWellFormed()
}

/** One line of at most `max` characters. */
export function shortLine(text: string, max: number): string {
  const line = visibleText(text).replaceAll(/\s+/g, ' ').trim()
  if (line.length <= max) return line
  return `${line
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}
