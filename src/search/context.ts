import type { Connections } from '../jobs/connections.ts'
import type { Resources } from '../jobs/resources.ts'

export type SearchContext = { resources: Resources; connections: Connections }
