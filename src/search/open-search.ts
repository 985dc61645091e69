import { searchOf } from '../connectors/capabilities.ts'
import type { Search } from '../connectors/search.ts'
import type { Connections } from '../jobs/connections.ts'

export async function withOpenSearch<T>(
  connections: Pick<Connections, 'openDestination'>,
  destinationId: string,
  work: (search: Search) => Promise<T>,
): Promise<T> {
  const opened = await connections.openDestination(destinationId)
  try {
    return await work(searchOf(opened))
  } finally {
    await opened.close()
  }
}
