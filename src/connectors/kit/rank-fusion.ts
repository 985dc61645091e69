export type Scored = { id: string; score: number }

/** The weight of words against vectors; docs/search.md says how it was chosen. */
export const WORD_WEIGHT = 0.45

/** Merges two lists by score, relative to the best of each list. Ranks would overrate common words. */
export function fuse(words: Scored[], neighbours: Scored[], wordWeight = WORD_WEIGHT): Scored[] {
  const scores = new Map<string, number>()
  const add = (list: Scored[], floor: number, weight: number) => {
    const span = (list[0]?.score ?? 0) - floor
    for (const { id, score } of list) {
      const relative = span > 0 ? (score - floor) / span : 1
      scores.set(id, (scores.get(id) ?? 0) + weight * relative)
    }
  }
  add(words, 0, wordWeight)
  add(neighbours, neighbours.at(-1)?.score ?? 0, 1 - wordWeight)
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score)
}
