export type Scored = { id: string; score: number }

/**
 * What words count for; the rest is for meaning. On 118 questions over the sample wiki (`npm run bench:quality`) every
 * value from 0.3 to 0.46 found more than either alone. Above, words that many pages share push away what was meant;
 * below, the one page with a rare word stands behind ten that are merely near.
 */
const WORDS = 0.45

/**
 * Two lists, best first, as one. Each score counts as its share of the best in its list: words from nothing on, and
 * meaning from the last neighbour on, since everything is near to anything by some measure. Ranks alone would not do:
 * a question has words that half of a wiki has, and their ranks say nothing of how little that is worth.
 */
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
