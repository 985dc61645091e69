/** The rank of a page among the hits, from 0; null if absent. */
export type Rank = number | null

export type RankScores = { recall_at_10: number; mrr: number }

/** Recall at ten and mean reciprocal rank. */
export function rankScores(ranks: Rank[]): RankScores {
  const all = Math.max(1, ranks.length)
  const among = ranks.filter((rank) => rank !== null && rank < 10)
  const reciprocal = among.reduce((sum: number, rank) => sum + 1 / ((rank ?? 0) + 1), 0)
  return {
    recall_at_10: Number((among.length / all).toFixed(4)),
    mrr: Number((reciprocal / all).toFixed(4)),
  }
}

export function rankOf(page: string, hits: { record_id: string }[]): Rank {
  const at = hits.findIndex(({ record_id }) => record_id === page)
  return at === -1 ? null : at
}
