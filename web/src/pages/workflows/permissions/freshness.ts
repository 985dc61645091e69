import type { Freshness } from '../../../../../packages/millrace-client/src/schema.ts'
import type { Job, Workflow } from '../../../service/types.ts'

export type { Freshness } from '../../../../../packages/millrace-client/src/schema.ts'
export type ScopeFreshness = Freshness['scopes'][number]

/** Never read counts as the highest age. */
export function ageOf({ age_seconds: age }: ScopeFreshness): number {
  return age ?? Number.MAX_SAFE_INTEGER
}

/** Scopes that search hides now. Without a maximum age it hides none. */
export function hiddenScopes(
  { scopes }: Freshness,
  { max_permission_age_hours: limit }: Pick<Workflow, 'max_permission_age_hours'>,
): ScopeFreshness[] {
  return scopes.filter(({ status }) => status === 'hidden' || (status === 'never' && limit !== null))
}

/** Scopes whose reading began after the job was created. */
export function readBy({ scopes }: Freshness, { created_at: start }: Pick<Job, 'created_at'>): number {
  return scopes.filter(({ proved_at: at }) => at !== null && Date.parse(at) >= Date.parse(start)).length
}
