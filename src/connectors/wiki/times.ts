/** A time as the wiki writes it, with or without an offset, in the one form used here; null where it is none. */
export function toIso(time: string | null | undefined): string | null {
  const date = time ? new Date(time) : null
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}
