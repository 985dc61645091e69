import { notFound } from '../../../errors.ts'
import { type ConnectorRow, readConnectorIn } from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { isId } from '../../http/context.ts'

/** A destination of the workspace by the id in an address. */
export async function destinationIn(db: Database, workspaceId: string, id: string): Promise<ConnectorRow> {
  const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind: 'destination', id }) : undefined
  if (!row) throw notFound('Destination')
  return row
}
