import { fuse, WORD_WEIGHT } from '../../src/connectors/kit/rank-fusion.ts'
import { inHalves, type Lists } from './lists.ts'
import { type RankScores, rankOf, rankScores } from './ranks.ts'

/** Weights tried on one half of the pages, and scores of the other half that chose none of them. */
export type WeightChoice = {
  used: number
  tuning: { questions: number; by_weight: Record<string, RankScores>; best: number }
  held_out: { questions: number; best: RankScores; used: RankScores; words: RankScores; meaning: RankScores }
}

const WEIGHTS = Array.from({ length: 21 }, (_, at) => at / 20)

export function chooseWeight(lists: Lists[]): WeightChoice {
  const [tuning, heldOut] = inHalves(lists)
  const scores = WEIGHTS.map((weight) => scoresAt(weight, tuning))
  const best = WEIGHTS[bestOf(scores)] ?? WORD_WEIGHT
  return {
    used: WORD_WEIGHT,
    tuning: {
      questions: tuning.length,
      by_weight: Object.fromEntries(WEIGHTS.map((weight, at) => [weight, scores[at]!])),
      best,
    },
    held_out: {
      questions: heldOut.length,
      best: scoresAt(best, heldOut),
      used: scoresAt(WORD_WEIGHT, heldOut),
      words: scoresAt(1, heldOut),
      meaning: scoresAt(0, heldOut),
    },
  }
}

function scoresAt(weight: number, lists: Lists[]): RankScores {
  return rankScores(
    lists.map(({ page, words, meaning }) => {
      const fused = weight === 1 ? words : weight === 0 ? meaning : fuse(words, meaning, weight)
      return rankOf(page, fused.slice(0, 10))
    }),
  )
}

/** By reciprocal rank; of equal ones the middle, which is least likely to be chance. */
function bestOf(scores: RankScores[]): number {
  const highest = Math.max(...scores.map(({ mrr }) => mrr))
  const best = scores.flatMap(({ mrr }, at) => (mrr === highest ? [at] : []))
  return best[Math.floor(best.length / 2)] ?? 0
}
