import { type ConnectorRow, readConnectorIn } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { isId } from './context.ts'
import { notFound } from './errors.ts'

/** A destination by its id in an address: what another workspace owns is not there. */
export async function destinationIn(db: Database, workspaceId: string, id: string): Promise<ConnectorRow> {
  const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind: 'destination', id }) : undefined
  if (!row) throw notFound('Destination')
  return row
}
