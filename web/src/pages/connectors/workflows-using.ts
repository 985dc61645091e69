import type { Workflow } from '../../service/types.ts'
import type { Kind } from './types.ts'

/** The workflows that use a connector. */
export function workflowsUsing(workflows: Workflow[], kind: Kind, id: string): Workflow[] {
  return workflows.filter(({ sources, destinations }) =>
    (kind === 'source' ? sources : destinations).includes(id),
  )
}
