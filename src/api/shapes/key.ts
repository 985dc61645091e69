import { z } from 'zod'
import { invalid } from '../../errors.ts'
import { listConnectors } from '../../store/connectors/connectors.ts'
import type { Database } from '../../store/database.ts'

/** Empty means all destinations of the workspace, later ones too. */
export const destinationIdsField = z.array(z.uuid()).max(100, 'at most 100 destinations').default([])

/** Names the first id that is no destination of the workspace. */
export async function requireDestinations(db: Database, workspaceId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const known = new Set((await listConnectors(db, workspaceId, { kind: 'destination' })).map(({ id }) => id))
  const at = ids.findIndex((id) => !known.has(id.toLowerCase()))
  if (at >= 0) throw invalid(['body', 'destination_ids', at], `there is no destination ${ids[at]} here`)
}
