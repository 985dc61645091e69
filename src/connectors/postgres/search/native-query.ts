import { WINDOW, WORD_WEIGHT } from '../../kit/rank-fusion.ts'
import type { NativeQuery, NativeRequest } from '../../search.ts'
import { withLiterals } from './literals.ts'
import { prepareSearch, type Ranker } from './rank.ts'
import { nearestStatement } from './rank-vectors.ts'
import { rankByStatement } from './rank-words.ts'

/** The statement of a search with its values. */
export async function nativeTableQuery(
  { client, located }: Ranker,
  { size, from, vector, floor = -1, ...request }: NativeRequest,
  signal: AbortSignal,
): Promise<NativeQuery> {
  const { table } = client.address
  const found = vector && request.query.trim() !== '' ? await located(signal) : null
  const isHybrid = vector !== undefined && found?.vectors?.dims === vector.length
  const depth = isHybrid ? Math.max(WINDOW, from + size) : from + size
  const words = await client.read(
    'searching',
    async (run) => {
      await prepareSearch(run)
      return (await rankByStatement(run, { ...request, table, depth })).statement
    },
    signal,
  )
  const ranked = words ? withLiterals(words) : NOTHING
  const { query: _, ...readable } = request
  const best = isHybrid
    ? fused(
        ranked,
        withLiterals(nearestStatement({ ...readable, table, vector, located: found }, 'exact')),
        floor,
      )
    : ranked
  const sql = `select element.record_id, element.element_id, element.text,
  element.data_source->>'title' as title, element.data_source->>'url' as url, best.score
from (${best}) as best join ${table} as element on element.id = best.id
order by best.score desc, best.id
limit ${size} offset ${from}`
  return { dialect: 'postgresql', title: 'PostgreSQL', request: null, sql }
}

const NOTHING = `select null::text as id, 0::float8 as score, 0 as total where false`

/** As in rank-fusion.ts: each list relative to its best score. */
function fused(words: string, neighbours: string, floor: number): string {
  return `
  with words as (${words}),
  nearest as (${neighbours}),
  parts as (
    select id, ${WORD_WEIGHT} * coalesce(score / nullif(max(score) over (), 0), 1) as part, true as close from words
    union all
    select id, ${1 - WORD_WEIGHT} * coalesce(
      (score - min(score) over ()) / nullif(max(score) over () - min(score) over (), 0), 1), score >= ${floor}
    from nearest)
  select id, sum(part) as score from parts group by id having bool_or(close)`
}
