import { searchOf } from '../connectors/capabilities.ts'
import type { Search } from '../connectors/search.ts'
import { type Connections, withDestination } from '../jobs/connections.ts'

export function withOpenSearch<T>(
  connections: Pick<Connections, 'openDestination'>,
  destinationId: string,
  work: (search: Search) => Promise<T>,
): Promise<T> {
  return withDestination(connections, destinationId, (destination) => work(searchOf(destination)))
}
