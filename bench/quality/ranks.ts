/** The place of a page among the hits, from 0 on; null where it is not among them. */
export type Rank = number | null

export type Found = { recall_at_10: number; mrr: number }

/**
 * How often the page that answers a question is among the first ten hits, and how far up it stands there: the mean of
 * 1 for the first hit, 1/2 for the second, and nothing where it is not found.
 */
export function found(ranks: Rank[]): Found {
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
