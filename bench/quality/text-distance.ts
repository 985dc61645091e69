/** Normalised Levenshtein distance: 0 for equal texts, 1 for texts with nothing in common. */
export function textDistance(one: string, other: string): number {
  const [a, b] = [plain(one), plain(other)]
  if (a === b) return 0
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [x, letter] of [...a].entries()) {
    const row = [x + 1]
    for (let y = 1; y <= b.length; y++) {
      const changed = above[y - 1]! + (letter === b[y - 1] ? 0 : 1)
      row.push(Math.min(changed, above[y]! + 1, row[y - 1]! + 1))
    }
    above = row
  }
  return Math.min(1, above[b.length]! / Math.max(a.length, b.length))
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
