/** The known name that was probably meant; none where all are further off than a third of its letters. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined
  let best: { candidate: string; away: number } | undefined
  for (const candidate of known) {
    const away = distance(name.toLowerCase(), candidate.toLowerCase())
    if (!best || away < best.away) best = { candidate, away }
  }
  return best && best.away <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : undefined
}

/** Levenshtein: letters to put in, take out or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[b.length] ?? 0
}
