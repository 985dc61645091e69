import { z } from 'zod'
import type { Space } from '../client.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { pageCountCql } from './cql.ts'

const response = z.object({ totalSize: z.int().min(0).nullish().catch(null) })

/** Both deployments count the matches of a search. */
export async function countPages(
  { send }: WikiTransport,
  space: Pick<Space, 'key'>,
  signal: AbortSignal,
): Promise<number | null> {
  const query = { cql: pageCountCql(space), limit: '1' }
  const doing = `counting the pages of space ${space.key}`
  const { totalSize } = await send({ doing, path: '/rest/api/search', query, tries: 1, response }, signal)
  return totalSize ?? null
}
