/** Parses the wiki's times, with or without an offset; null if invalid. */
export function toIso(time: string | null | undefined): string | null {
  const date = time ? new Date(time) : null
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}
