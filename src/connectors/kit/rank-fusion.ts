export type Scored = { key: string; score: number }

/** The weight of words against vectors; docs/search.md says how it was chosen. */
export const WORD_WEIGHT = 0.45
/** How many matches by words are fused at least; fixed, so that pages stay consistent. */
export const WINDOW = 500
/** How many of the nearest vectors are fused. */
export const NEIGHBOURS = 100

/** Merges two lists by score, relative to the best of each list. Ranks would overrate common words. */
export function fuse<T extends Scored>(words: T[], neighbours: T[], wordWeight = WORD_WEIGHT): T[] {
  const fused = new Map<string, T>()
  const add = (list: T[], floor: number, weight: number) => {
    const span = (list[0]?.score ?? 0) - floor
    for (const element of list) {
      const relative = span > 0 ? (element.score - floor) / span : 1
      const score = (fused.get(element.key)?.score ?? 0) + weight * relative
      fused.set(element.key, { ...element, score })
    }
  }
  add(words, 0, wordWeight)
  add(neighbours, neighbours.at(-1)?.score ?? 0, 1 - wordWeight)
  return [...fused.values()].sort((a, b) => b.score - a.score)
}

type RankedList<T> = { total: number; ranked: T[] }

/**
 * Fuses with the total of matches; both lists were read up to `size`. A neighbour that scores less than `least` is
 * found only by words, but ranks as without this floor.
 */
export function fuseRankings<T extends Scored>(
  words: RankedList<T>,
  neighbours: T[],
  { size, least = null }: { size: number; least?: number | null },
): RankedList<T> {
  const far = new Set(neighbours.flatMap(({ key, score }) => (least !== null && score < least ? [key] : [])))
  for (const { key } of words.ranked) far.delete(key)
  const ranked = fuse(words.ranked, neighbours).filter(({ key }) => !far.has(key))
  if (words.ranked.length < size && neighbours.length < size) return { total: ranked.length, ranked }
  // Neighbours outside the list may match words too, so the sum is an upper bound.
  return { total: ranked.length - words.ranked.length + words.total, ranked }
}
