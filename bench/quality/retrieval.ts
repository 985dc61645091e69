import { NO_ONE } from '../../src/access.ts'
import { elasticsearch } from '../../src/connectors/searchindex/engines/elasticsearch.ts'
import { readableBy } from '../../src/connectors/searchindex/search.ts'
import type { PersonName } from '../../src/sample/content/people.ts'
import { type FreshIndex, freshIndex } from '../../test/world/search-engine/fresh-index.ts'
import { type Chunk, type Corpus, type Question, tokensOf } from './corpus.ts'
import { type Found, found, type Rank, rankOf } from './ranks.ts'

/** The same question by words, by meaning, and by both as in the product. */
export type ThreeWays = { words: Found; meaning: Found; both: Found }

export type Retrieval = {
  chunks: number
  questions: number
  everything: ThreeWays
  by_kind: Record<Question['kind'], ThreeWays>
  /** By meaning with exact distances, to show what quantisation and the neighbour graph lose. */
  exact: Found
  people: Record<string, { questions: number; own: ThreeWays; reference: ThreeWays; lost: number }>
  /** Questions whose page is not among the first ten, by any method. */
  missed: string[]
}

const ANYONE = 'class:anonymous-users'
const anyone = [ANYONE]

/** Recall on prepared questions, for a person with all permissions and for people with fewer. */
export async function measureRetrieval(corpus: Corpus, signal: AbortSignal): Promise<Retrieval> {
  const { chunks, questions } = corpus
  await using open = await fill(chunks, () => [ANYONE], signal)
  await using closed = await fill(chunks, null, signal)
  const all = await threeWays({ index: open, tokens: anyone }, questions, signal)
  const ofKind = (kind: Question['kind']) => {
    const meant = (ranks: Rank[]) => ranks.filter((_, at) => questions[at]?.kind === kind)
    const { words, meaning, both } = all
    return toFound({ words: meant(words), meaning: meant(meaning), both: meant(both) })
  }
  const own: Retrieval['people'] = {}
  for (const name of ['lena', 'marcus', 'daniel'] as const)
    own[name] = await measurePerson({ corpus, closed, name }, signal)
  return {
    chunks: chunks.length,
    questions: questions.length,
    everything: toFound(all),
    by_kind: { asked: ofKind('asked'), typed: ofKind('typed') },
    exact: found(questions.map((question) => exactRank(question, chunks))),
    people: own,
    missed: questions.flatMap(({ question }, at) =>
      [all.words, all.meaning, all.both].every((ranks) => ranks[at] === null) ? [question] : [],
    ),
  }
}

/**
 * Compares a person's hits among all pages with an index where only the pages that the person may read are open.
 * Fewer hits in the first are a loss.
 */
async function measurePerson(
  { corpus, closed, name }: { corpus: Corpus; closed: FreshIndex; name: PersonName },
  signal: AbortSignal,
) {
  const readable = corpus.readable(name)
  const questions = corpus.questions.filter(({ page }) => readable.has(page))
  const rights = (recordId: string) => [readable.has(recordId) ? ANYONE : NO_ONE]
  await using restricted = await fill(corpus.chunks, rights, signal)
  const own = await threeWays(
    { index: closed, tokens: tokensOf(name, questions[0]!.page) },
    questions,
    signal,
  )
  const reference = await threeWays({ index: restricted, tokens: anyone }, questions, signal)
  const lost = questions.filter((_, at) => own.both[at] === null && reference.both[at] !== null).length
  return { questions: questions.length, own: toFound(own), reference: toFound(reference), lost }
}

async function fill(
  chunks: Chunk[],
  rights: ((recordId: string) => string[]) | null,
  signal: AbortSignal,
): Promise<FreshIndex> {
  // One shard, so that equal texts have equal scores whatever their permissions.
  const index = await freshIndex({ body: { settings: { number_of_shards: 1, number_of_replicas: 0 } } })
  await index.destination.prepare({ dims: chunks[0]!.element.embeddings.length }, signal)
  const items = chunks.map(({ recordId, element, dataSource }) => ({
    recordId,
    element,
    dataSource: rights ? { ...dataSource, access: { c0: rights(recordId) } } : dataSource,
  }))
  for (let at = 0; at < items.length; at += 200) {
    const rejected = await index.destination.write(items.slice(at, at + 200), 1, signal)
    if (rejected.length > 0) throw new Error(`${rejected.length} chunks were refused`)
  }
  await index.refresh()
  return index
}

type Ranks = { words: Rank[]; meaning: Rank[]; both: Rank[] }

async function threeWays(
  { index, tokens }: { index: FreshIndex; tokens: string[] },
  questions: Question[],
  signal: AbortSignal,
): Promise<Ranks> {
  const ranks: Ranks = { words: [], meaning: [], both: [] }
  for (const { question: query, page, vector } of questions) {
    const request = { query, tokens, size: 10, from: 0 }
    const byWords = await index.destination.search.query(request, signal)
    const byBoth = await index.destination.search.query({ ...request, vector }, signal)
    ranks.words.push(rankOf(page, byWords.hits))
    ranks.meaning.push(rankOf(page, await byMeaning(index, tokens, vector)))
    ranks.both.push(rankOf(page, byBoth.hits))
  }
  return ranks
}

/** The product never searches by meaning alone; this is that half of its query. */
async function byMeaning(
  index: FreshIndex,
  tokens: string[],
  vector: number[],
): Promise<{ record_id: string }[]> {
  const meaning = elasticsearch.byMeaning({ vector, k: 100, filter: readableBy(tokens) })
  const body = { ...meaning, size: 10, _source: ['record_id'] }
  const answer = await index.engine.adminFetch(`/${index.name}/_search`, { body })
  const found = (await answer.json()) as { hits?: { hits: { _source: { record_id: string } }[] } }
  if (!found.hits) throw new Error(JSON.stringify(found))
  return found.hits.hits.map(({ _source }) => _source)
}

export function exactRank({ page, vector }: Question, chunks: Chunk[]): Rank {
  const near = chunks.map(({ recordId, element }) => ({
    record_id: recordId,
    score: element.embeddings.reduce((sum, value, at) => sum + value * vector[at]!, 0),
  }))
  return rankOf(page, near.sort((one, other) => other.score - one.score).slice(0, 10))
}

function toFound({ words, meaning, both }: Ranks): ThreeWays {
  return { words: found(words), meaning: found(meaning), both: found(both) }
}
