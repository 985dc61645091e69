import type { RankedElement } from '../../src/connectors/search.ts'
import type { Question } from './corpus.ts'
import type { FilledIndex } from './engines.ts'

/** What words and vectors find for a question about a page. */
export type Lists = { page: string; words: RankedElement[]; meaning: RankedElement[] }

export async function readLists(
  { index, tokens }: { index: FilledIndex; tokens: string[] },
  questions: Question[],
  signal: AbortSignal,
): Promise<Lists[]> {
  const lists: Lists[] = []
  for (const { question: query, page, vector } of questions) {
    signal.throwIfAborted()
    const { ranked: words } = await index.search.rank({ query, tokens, depth: 500 }, signal)
    lists.push({ page, words, meaning: await index.nearest(vector, tokens, signal) })
  }
  return lists
}

/** By page, so that no page is in both halves. */
export function inHalves(lists: Lists[]): [Lists[], Lists[]] {
  const pages = [...new Set(lists.map(({ page }) => page))].sort()
  const half = (parity: number) => lists.filter(({ page }) => pages.indexOf(page) % 2 === parity)
  return [half(0), half(1)]
}
