/** Ids are numbers that may be longer than a number holds: shorter is smaller, then by letters. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

export function byId(a: { id: string }, b: { id: string }): number {
  return compareIds(a.id, b.id)
}

/** An id in a form whose order as text is its order as a number; 20 digits hold every 64-bit id. */
export function positionOf(id: string): string {
  return id.padStart(20, '0')
}
