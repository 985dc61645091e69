import type { Workflow } from '../../service/types.ts'
import type { Overview } from './types.ts'

/** Keeps the number of requests low. */
const MAX_WORKFLOWS = 10
const HOUR_MS = 3_600_000

/** Workflows whose maximum age is below the age of the oldest permissions; shortest first. */
export function mayHide<Each extends Pick<Workflow, 'max_permission_age_hours'>>(
  workflows: Each[],
  { permissions_as_of: oldest }: Pick<Overview, 'permissions_as_of'>,
  now: number,
): Each[] {
  if (oldest === null) return []
  const hours = (now - Date.parse(oldest)) / HOUR_MS
  const limitOf = ({ max_permission_age_hours: limit }: Each) => limit ?? Number.MAX_VALUE
  return workflows
    .filter((workflow) => limitOf(workflow) < hours)
    .toSorted((one, other) => limitOf(one) - limitOf(other))
    .slice(0, MAX_WORKFLOWS)
}
