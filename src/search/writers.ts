import { targetKey } from '../connectors/target.ts'
import type { Resources } from '../jobs/resources.ts'
import { type ConnectorRow, listConnectors } from '../store/connectors/connectors.ts'
import { type WorkflowRow, workflowsWriting } from '../store/workflows/workflows.ts'

/** The workflows of the workspace that write to the target of a destination, through any destination connector. */
export async function workflowsWritingTo(
  { db, registry }: Pick<Resources, 'db' | 'registry'>,
  destination: ConnectorRow,
): Promise<WorkflowRow[]> {
  const keyOf = ({ type: name, config }: ConnectorRow) => {
    const type = registry.destination(name)
    return type && targetKey({ type, config })
  }
  const key = keyOf(destination)
  const { workspace_id: workspaceId } = destination
  const all = await listConnectors(db, workspaceId, { kind: 'destination' })
  const same = all.filter((row) => row.id === destination.id || (key && keyOf(row) === key))
  return workflowsWriting(
    db,
    workspaceId,
    same.map(({ id }) => id),
  )
}
