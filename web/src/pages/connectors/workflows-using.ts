import type { Workflow } from '../../service/types.ts'
import type { Kind } from './types.ts'

/** The workflows that use a connector; undefined while loading. */
export function workflowsUsing(
  workflows: Workflow[] | undefined,
  kind: Kind,
  id: string,
): Workflow[] | undefined {
  return workflows?.filter(({ sources, destinations }) =>
    (kind === 'source' ? sources : destinations).includes(id),
  )
}
