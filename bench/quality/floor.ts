import { fuseRankings } from '../../src/connectors/kit/rank-fusion.ts'
import { defaultModelName, findModel } from '../../src/pipeline/embed/model.ts'
import { inHalves, type Lists } from './lists.ts'
import { type RankScores, rankOf, rankScores } from './ranks.ts'

/** Floors tried with one half of the pages; `best` is the highest that loses none of its pages. */
export type FloorChoice = {
  used: number
  tuning: { questions: number; by_floor: Record<string, RankScores>; best: number }
  held_out: { questions: number; without: RankScores; best: RankScores; used: RankScores }
  /** Queries without a meaning, and how many of them still find something. */
  nonsense: { queries: number; by_floor: Record<string, number> }
}

const FLOORS = Array.from({ length: 26 }, (_, at) => Number((0.2 + at / 100).toFixed(2)))
/** More than the lists hold. */
const SIZE = 501

/** `scoreOf` converts a cosine into a score of the lists. */
export function chooseFloor(
  lists: Lists[],
  nonsense: Lists[],
  scoreOf: (cosine: number) => number,
): FloorChoice {
  const used = findModel(defaultModelName).floor
  const found = ({ words, meaning }: Lists, floor: number) =>
    fuseRankings({ total: words.length, ranked: words }, meaning, { size: SIZE, least: scoreOf(floor) })
      .ranked
  const scoresAt = (floor: number, of: Lists[]) =>
    rankScores(of.map((each) => rankOf(each.page, found(each, floor).slice(0, 10))))
  const byFloor = <T>(at: (floor: number) => T) =>
    Object.fromEntries(FLOORS.map((floor) => [floor, at(floor)]))
  const [tuning, heldOut] = inHalves(lists)
  const { recall_at_10: recall } = scoresAt(-1, tuning)
  const best = FLOORS.findLast((floor) => scoresAt(floor, tuning).recall_at_10 >= recall) ?? -1
  return {
    used,
    tuning: { questions: tuning.length, by_floor: byFloor((floor) => scoresAt(floor, tuning)), best },
    held_out: {
      questions: heldOut.length,
      without: scoresAt(-1, heldOut),
      best: scoresAt(best, heldOut),
      used: scoresAt(used, heldOut),
    },
    nonsense: {
      queries: nonsense.length,
      by_floor: byFloor((floor) => nonsense.filter((each) => found(each, floor).length > 0).length),
    },
  }
}
