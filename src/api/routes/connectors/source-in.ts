import { notFound } from '../../../errors.ts'
import { type ConnectorRow, readConnectorIn } from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { isId } from '../../http/context.ts'

export async function sourceIn(db: Database, workspaceId: string, id: string): Promise<ConnectorRow> {
  const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind: 'source', id }) : undefined
  if (!row) throw notFound('Source')
  return row
}
