export type Scored = { id: string; score: number }

/**
 * The weight of words against vectors. On 118 questions (`npm run bench:quality`), 0.3 to 0.46 beat either
 * alone.
 */
const WORDS = 0.45

/** Merges two lists by score, relative to the best of each list. Ranks would overrate common words. */
export function fuse(words: Scored[], meaning: Scored[]): Scored[] {
  const scores = new Map<string, number>()
  const add = (list: Scored[], floor: number, weight: number) => {
    const span = (list[0]?.score ?? 0) - floor
    for (const { id, score } of list) {
      const share = span > 0 ? (score - floor) / span : 1
      scores.set(id, (scores.get(id) ?? 0) + weight * share)
    }
  }
  add(words, 0, WORDS)
  add(meaning, meaning.at(-1)?.score ?? 0, 1 - WORDS)
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score)
}
