/** Ids may exceed a number's precision: shorter is smaller, then by text. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

export function byId(a: { id: string }, b: { id: string }): number {
  return compareIds(a.id, b.id)
}

/** Sorts as text like a number; 20 digits hold every 64-bit id. */
export function positionOf(id: string): string {
  return id.padStart(20, '0')
}

/** The id as a number above 0; null if a number could not hold it exactly. */
export function numberOfId(id: string): number | null {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null
}
