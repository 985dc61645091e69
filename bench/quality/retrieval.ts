import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { defaultModelName, findModel } from '../../src/pipeline/embed/model.ts'
import type { PersonName } from '../../test/world/sample/people.ts'
import { searchHits } from '../../test/world/search-hits.ts'
import { type Chunk, type Corpus, type Question, tokensOf } from './corpus.ts'
import type { Engine, FilledIndex } from './engines.ts'
import { chooseFloor, type FloorChoice } from './floor.ts'
import { readLists } from './lists.ts'
import { type Rank, type RankScores, rankOf, rankScores } from './ranks.ts'
import { chooseWeight, type WeightChoice } from './weight.ts'

/** Scores by words, by meaning, and by both. */
export type MethodScores = { words: RankScores; meaning: RankScores; both: RankScores }

export type Retrieval = {
  chunks: number
  questions: number
  everything: MethodScores
  by_kind: Record<Question['kind'], MethodScores>
  /** By meaning with exact distances, to show the loss of the index. */
  exact: RankScores
  people: Record<string, { questions: number; own: MethodScores; reference: MethodScores; lost: number }>
  /** Questions whose page is not among the first ten, by any method. */
  missed: string[]
  weights: WeightChoice
  floor: FloorChoice
}

const ANYONE = 'class:anonymous-users'
const anyone = [ANYONE]

/** Recall for a person with all permissions, and for people with fewer. */
export async function measureRetrieval(
  corpus: Corpus,
  engine: Engine,
  signal: AbortSignal,
): Promise<Retrieval> {
  const { chunks, questions } = corpus
  await using open = await fill(engine, { chunks, accessOf: () => [ANYONE] }, signal)
  await using closed = await fill(engine, { chunks }, signal)
  const anyones = { index: open, tokens: anyone }
  const lists = await readLists(anyones, questions, signal)
  const all = await rankByMethod(anyones, questions, signal)
  const ofKind = (kind: Question['kind']) => {
    const ofThatKind = (ranks: Rank[]) => ranks.filter((_, at) => questions[at]?.kind === kind)
    const { words, meaning, both } = all
    return toScores({ words: ofThatKind(words), meaning: ofThatKind(meaning), both: ofThatKind(both) })
  }
  const own: Retrieval['people'] = {}
  for (const name of ['lena', 'marcus', 'daniel'] as const)
    own[name] = await measurePerson({ corpus, engine, closed, name }, signal)
  return {
    weights: chooseWeight(lists),
    floor: chooseFloor(lists, await readLists(anyones, corpus.nonsense, signal), open.scoreOf),
    chunks: chunks.length,
    questions: questions.length,
    everything: toScores(all),
    by_kind: { asked: ofKind('asked'), typed: ofKind('typed') },
    exact: rankScores(questions.map((question) => exactRank(question, chunks))),
    people: own,
    missed: questions.flatMap(({ question }, at) =>
      [all.words, all.meaning, all.both].every((ranks) => ranks[at] === null) ? [question] : [],
    ),
  }
}

type MeasuredPerson = { corpus: Corpus; engine: Engine; closed: FilledIndex; name: PersonName }

/** Compares a person's hits with those in an index of only the readable pages. */
async function measurePerson({ corpus, engine, closed, name }: MeasuredPerson, signal: AbortSignal) {
  const readable = corpus.readable(name)
  const questions = corpus.questions.filter(({ page }) => readable.has(page))
  const accessOf = (recordId: string) => [readable.has(recordId) ? ANYONE : NO_ONE_TOKEN]
  await using restricted = await fill(engine, { chunks: corpus.chunks, accessOf }, signal)
  const own = await rankByMethod(
    { index: closed, tokens: tokensOf(name, questions[0]!.page) },
    questions,
    signal,
  )
  const reference = await rankByMethod({ index: restricted, tokens: anyone }, questions, signal)
  const lost = questions.filter((_, at) => own.both[at] === null && reference.both[at] !== null).length
  return { questions: questions.length, own: toScores(own), reference: toScores(reference), lost }
}

function fill(
  engine: Engine,
  { chunks, accessOf }: { chunks: Chunk[]; accessOf?: (recordId: string) => string[] },
  signal: AbortSignal,
): Promise<FilledIndex> {
  const items = chunks.map(({ recordId, element, dataSource }) => ({
    recordId,
    element,
    dataSource: accessOf ? { ...dataSource, access: { c0: accessOf(recordId) } } : dataSource,
  }))
  return engine(items, chunks[0]!.element.embeddings.length, signal)
}

type Ranks = { words: Rank[]; meaning: Rank[]; both: Rank[] }

async function rankByMethod(
  { index, tokens }: { index: FilledIndex; tokens: string[] },
  questions: Question[],
  signal: AbortSignal,
): Promise<Ranks> {
  const ranks: Ranks = { words: [], meaning: [], both: [] }
  const { floor } = findModel(defaultModelName)
  for (const { question: query, page, vector } of questions) {
    const request = { query, tokens, size: 10, from: 0 }
    const byWords = await searchHits(index.search, request, signal)
    const byBoth = await searchHits(index.search, { ...request, vector, floor }, signal)
    ranks.words.push(rankOf(page, byWords.hits))
    ranks.meaning.push(rankOf(page, (await index.nearest(vector, tokens, signal)).slice(0, 10)))
    ranks.both.push(rankOf(page, byBoth.hits))
  }
  return ranks
}

export function exactRank({ page, vector }: Question, chunks: Chunk[]): Rank {
  const near = chunks.map(({ recordId, element }) => ({
    record_id: recordId,
    score: element.embeddings.reduce((sum, value, at) => sum + value * vector[at]!, 0),
  }))
  return rankOf(page, near.sort((one, other) => other.score - one.score).slice(0, 10))
}

function toScores({ words, meaning, both }: Ranks): MethodScores {
  return { words: rankScores(words), meaning: rankScores(meaning), both: rankScores(both) }
}
