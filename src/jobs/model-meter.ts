import { AppError } from '../errors.ts'
import type { TokenMeter } from '../pipeline/models/token-meter.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { addModelTokens } from '../store/accounts/model-tokens.ts'
import type { Database } from '../store/database.ts'
import type { Resources } from './resources.ts'

/** Runners that take turns with those of other workspaces, and count model requests for this one. */
export function runnersFor(
  { runners, meter }: Pick<Resources, 'runners' | 'meter'>,
  workspaceId: string,
): RunnerFactory {
  return runners.forTenant({ workspace: workspaceId, meter: meter(workspaceId) })
}

export function databaseMeter(
  db: Database,
  { workspaceId, limit }: { workspaceId: string; limit: number },
): TokenMeter {
  return {
    async reserve(tokens) {
      if (!(await addModelTokens(db, workspaceId, { tokens, limit }))) throw usedUp(limit)
    },
    async add(tokens) {
      await addModelTokens(db, workspaceId, { tokens, limit: null })
    },
  }
}

function usedUp(limit: number): AppError {
  const midnight = new Date()
  midnight.setUTCHours(24, 0, 0, 0)
  const reset = midnight.toISOString().replace('.000Z', 'Z')
  return new AppError(
    'model_tokens_used_up',
    `this workspace has used its ${limit.toLocaleString('en')} model tokens of today`,
    {
      fix: `The count resets at ${reset} (UTC midnight). The service operator can raise MILLRACE_MODEL_TOKENS_PER_DAY`,
      retryAfterSeconds: Math.max(1, Math.ceil((midnight.getTime() - Date.now()) / 1000)),
    },
  )
}
