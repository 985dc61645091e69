import type { FacetName, RankedElement, SearchFilters } from '../../search.ts'
import type { Run, Statement } from '../connection.ts'
import { ARCHIVE_PATH_SQL, conditionOf, facetsColumn, facetsOf } from './filters.ts'
import { createValues, storableQuery } from './statement.ts'
import { EXACT_WEIGHTS, STEM_WEIGHTS, TERMS, type Term, tsqueryOf } from './words.ts'

/** `table` is quoted; `depth` is how many of the best to return. */
export type RankRequest = {
  table: string
  query: string
  tokens: string[]
  depth: number
  filters?: SearchFilters
  facets?: FacetName[]
}
/** `total` counts all matches. */
export type RankedList = { total: number; ranked: RankedElement[] }

/** In larger tables, words in a fifth of the elements only add to scores. */
const SMALL_TABLE = 10_000
const COMMON_PART = 5
/** Counting more elements takes longer than a search. */
const COUNTED_ELEMENTS = 50_000

/** Ranks by words: BM25 over text and title, with the title's words counted twice. */
export async function rankWords(run: Run, request: RankRequest): Promise<RankedList> {
  return (await rankByStatement(run, request)).found
}

/** With the statement that ranked; null if the query has no words. */
export async function rankByStatement(
  run: Run,
  request: RankRequest,
): Promise<{ found: RankedList; statement: Statement | null }> {
  const ranked = async (statement: Statement) => {
    return { found: await readRanked(run, request, statement), statement }
  }
  if (request.query.trim() === '') return ranked(everything(request))
  const terms = await run<Term>({ text: TERMS, values: [storableQuery(request.query)] })
  if (terms.length === 0) return { found: { total: 0, ranked: [] }, statement: null }
  const counts = await countTerms(run, request.table, terms)
  const rare = counts.terms.filter(({ isCommon, kind }) => !isCommon && kind !== 'sign')
  const isNarrow = rare.length > 0 && rare.length < terms.length
  const first = await ranked(matching(request, counts, isNarrow ? rare : counts.terms))
  return first.found.total === 0 && isNarrow ? ranked(matching(request, counts, counts.terms)) : first
}

/** `count` is a lower bound if the term is common. */
type CountedTerm = Term & { count: number; isCommon: boolean }
type TermCounts = { size: number; terms: CountedTerm[] }

async function countTerms(run: Run, table: string, terms: Term[]): Promise<TermCounts> {
  const values = createValues()
  const name = values.add(table, 'regclass')
  const counts = terms.map((term) => {
    const query = values.add(tsqueryOf(term), 'tsquery')
    return `(select count(*) from (select from ${table} where words @@ ${query} limit (select most from size)) as found)`
  })
  const [row] = await run<{ size: number; most: number; counts: number[] }>({
    text: `
      with estimate as (select reltuples::float8 as rows from pg_class where oid = ${name}),
      counted as (
        select case when rows >= ${COUNTED_ELEMENTS} then rows else (select count(*) from ${table}) end as rows
        from estimate),
      size as materialized (
        select rows, case when rows > ${SMALL_TABLE} then ceil(rows / ${COMMON_PART}) else rows + 1 end::bigint as most
        from counted)
      select rows as size, most::float8 as most, array[${counts.join()}]::float8[] as counts from size`,
    values: values.list,
  })
  const { size, most, counts: found } = row ?? { size: 0, most: 1, counts: [] }
  return {
    size,
    terms: terms.map((term, at) => ({ ...term, count: found[at] ?? 0, isCommon: (found[at] ?? 0) >= most })),
  }
}

/** An empty query matches everything. */
function everything({ table, depth, ...request }: RankRequest): Statement {
  const values = createValues()
  const condition = conditionOf(request, values)
  return {
    text: `
      select id, 1::float8 as score, count(*) over () as total
      from ${table} where ${condition} order by id limit ${values.add(depth, 'int')}`,
    values: values.list,
  }
}

/** The parameters of BM25 that search engines use. */
const K1 = 1.2
const B = 0.75
const TITLE_WEIGHT = 2

/** All terms score; those of `selecting` decide what matches. */
function matching(
  { table, depth, ...request }: RankRequest,
  { size, terms }: TermCounts,
  selecting: CountedTerm[],
): Statement {
  const values = createValues()
  const condition = conditionOf(request, values)
  const any = values.add(selecting.map(tsqueryOf).join(' | '), 'tsquery')
  const count = values.add(size, 'float8')
  const ranks = terms.map((term, at) => {
    const weights = `'${term.kind === 'stem' ? STEM_WEIGHTS : EXACT_WEIGHTS}'`
    const query = values.add(tsqueryOf(term), 'tsquery')
    return `ts_rank(${weights}, words, ${query}) as w${at}, ts_rank(${weights}, title_words, ${query}) as t${at}`
  })
  const frequencies = terms.map((term, at) => {
    const known = values.add(term.count, 'float8')
    // The share among the matches, since counting a common word takes too long.
    return term.isCommon
      ? `least(${count}, greatest(${known}, ${count} * avg((w${at} > 0)::int) over ()))::float8 as n${at}`
      : `${known} as n${at}`
  })
  return {
    text: `
      with matched as materialized (
        select id, length(words) as words, length(title_words) as title_words, ${ranks.join()}
        from (
          select id, inline.words, title_words from ${table} as element,
            lateral (select element.words || '' as words offset 0) as inline
          where (element.words @@ ${any} or title_words @@ ${any}) and ${condition} offset 0
        ) as element),
      measured as (
        select *, count(*) over () as total, ${frequencies.join()},
          ${lengthFactor('words')} as length, ${lengthFactor('title_words')} as title_length
        from matched)
      select id, total, ${terms.map((_, at) => termScore(at, count)).join(' + ')} as score
      from measured order by score desc, id limit ${values.add(depth, 'int')}`,
    values: values.list,
  }
}

/** A long text counts each of its words less; the mean is that of the matches. */
function lengthFactor(column: string): string {
  const mean = `greatest(avg(${column}) over (), 1)::float8`
  return `${1 - B} + ${B} * ${column} / ${mean}`
}

function termScore(at: number, count: string): string {
  const occurrences = `${occurrencesOf(`w${at}`)} / length + ${TITLE_WEIGHT} * ${occurrencesOf(`t${at}`)} / title_length`
  const rarity = `ln(1 + (greatest(${count} - n${at}, 0) + 0.5) / (n${at} + 0.5))`
  // Equal to the usual x (k1 + 1) / (x + k1), with x only once.
  return `${rarity} * ${K1 + 1} * (1 - ${K1} / (${occurrences} + ${K1}))`
}

/** Inverts `ts_rank`, the sum of 1/i² over all occurrences by π²/6; exact to 5 %, and fast. */
function occurrencesOf(rank: string): string {
  return `case when ${rank} > 0 then 1 / (1.6449341 * (1.000001 - ${rank})) - 0.5 else 0 end`
}

type RankedRow = {
  id: string
  record_id: string
  path: string | null
  score: number
  total: string
  facets?: unknown[]
}

/** Reads facets of the best only; `text` has the permission filter. */
async function readRanked(
  run: Run,
  { table, facets = [] }: RankRequest,
  { text, values = [] }: Statement,
): Promise<RankedList> {
  return toRanked(
    await run<RankedRow>({
      text: `
        select best.id, best.score, best.total, element.record_id, ${ARCHIVE_PATH_SQL} as path
          ${facets.length > 0 ? `, ${facetsColumn(facets)}` : ''}
        from (${text}) as best join ${table} as element on element.id = best.id
        order by best.score desc, best.id`,
      values,
    }),
    facets,
  )
}

export function toRanked(rows: RankedRow[], facets: FacetName[]): RankedList {
  const ranked = rows.map(({ id, record_id, path, score, facets: found = [] }) => ({
    key: id,
    record_id,
    score,
    ...(path === null ? {} : { path_in_archive: path }),
    ...(facets.length > 0 ? { facets: facetsOf(found, facets) } : {}),
  }))
  return { total: Number(rows[0]?.total ?? 0), ranked }
}
