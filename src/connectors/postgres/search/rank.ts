import { fuseRankings, WINDOW } from '../../kit/rank-fusion.ts'
import type { Ranking, SearchRequest } from '../../search.ts'
import type { Run, TableClient } from '../connection.ts'
import type { LocatedTable } from '../prepare.ts'
import { rankVectors } from './rank-vectors.ts'
import { type RankRequest, rankWords } from './rank-words.ts'

export type Ranker = { client: TableClient; located(signal: AbortSignal): Promise<LocatedTable> }

/** Ranks by words and vector, within what the person may read. */
export async function rankTable(
  { client, located }: Ranker,
  { vector, floor, ...request }: SearchRequest,
  signal: AbortSignal,
): Promise<Ranking> {
  if (request.tokens.length === 0) return { total: 0, ranked: [] }
  const ofTable = { ...request, table: client.address.table }
  const found = vector && request.query.trim() !== '' ? await located(signal) : null
  return client.read(
    'searching',
    async (run) => {
      await prepareSearch(run)
      return vector && found?.vectors?.dims === vector.length
        ? rankHybrid(run, ofTable, { vector, floor, located: found })
        : rankWords(run, ofTable)
    },
    signal,
  )
}

/** Compiling the long expressions of a search takes longer than running them. */
export async function prepareSearch(run: Run): Promise<void> {
  await run({ text: `select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)` })
}

async function rankHybrid(
  run: Run,
  request: RankRequest,
  { floor, ...near }: { vector: number[]; floor: number | undefined; located: LocatedTable },
): Promise<Ranking> {
  const size = Math.max(WINDOW, request.depth)
  const words = await rankWords(run, { ...request, depth: size })
  const { depth: _, query: __, ...readable } = request
  const neighbours = await rankVectors(run, { ...readable, ...near })
  return fuseRankings(words, neighbours.ranked, { size, least: floor ?? null })
}
