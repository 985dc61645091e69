import { type AppError, notFound } from '../../../errors.ts'
import {
  type ConnectorKind,
  type ConnectorRow,
  readConnectorIn,
} from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { isId } from '../../http/context.ts'

/** A connector of the workspace by the id in an address. */
export async function connectorIn(
  db: Database,
  workspaceId: string,
  { kind, id }: { kind: ConnectorKind; id: string },
): Promise<ConnectorRow> {
  const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind, id }) : undefined
  if (!row) throw noConnector(kind)
  return row
}

export function sourceIn(db: Database, workspaceId: string, id: string): Promise<ConnectorRow> {
  return connectorIn(db, workspaceId, { kind: 'source', id })
}

export function destinationIn(db: Database, workspaceId: string, id: string): Promise<ConnectorRow> {
  return connectorIn(db, workspaceId, { kind: 'destination', id })
}

export function noConnector(kind: ConnectorKind): AppError {
  return notFound(kind === 'source' ? 'Source' : 'Destination')
}
