/** Words without zero-width characters, list markers and the dots that lead to a page number. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\.{4,}/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !/^[•◦▪‣*-]$/.test(word))
}

export type Overlap = { recall: number; precision: number; kept: number }

/** Recall and precision of words; `may` are optional words. */
export function overlap(made: string[], truth: string[], may: string[] = []): Overlap {
  const wanted = counts(truth)
  const allowed = counts(may)
  let kept = 0
  let foreign = 0
  for (const word of made) {
    if (take(wanted, word)) kept++
    else if (!take(allowed, word)) foreign++
  }
  return {
    recall: truth.length === 0 ? 1 : kept / truth.length,
    precision: kept + foreign === 0 ? 1 : kept / (kept + foreign),
    kept,
  }
}

/** Share of kept words in reading order. */
export function readingOrder(made: string[], truth: string[]): number {
  const { kept } = overlap(made, truth)
  return kept === 0 ? 1 : commonLength(made, truth) / kept
}

export function counts(words: string[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1)
  return found
}

export function take(left: Map<string, number>, word: string): boolean {
  const count = left.get(word) ?? 0
  if (count > 0) left.set(word, count - 1)
  return count > 0
}

/** The length of the longest common subsequence, a row of the table at once (Hyyrö, 2004). */
function commonLength(one: string[], other: string[]): number {
  const places = new Map<string, bigint>()
  for (const [at, word] of other.entries()) places.set(word, (places.get(word) ?? 0n) | (1n << BigInt(at)))
  const all = (1n << BigInt(other.length)) - 1n
  let row = all
  for (const word of one) {
    const common = row & (places.get(word) ?? 0n)
    row = ((row + common) | (row - common)) & all
  }
  return other.length - row.toString(2).replaceAll('0', '').length
}
