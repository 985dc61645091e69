/** Shortens a name or subject to one line without control characters, for messages and metadata. */
export function oneLine(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength * 4).toWellFormed()
  const line = start.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`
}
