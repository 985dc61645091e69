import { ANONYMOUS } from '../../access.ts'
import { AppError } from '../../errors.ts'
import type { Grant } from './permissions.ts'
import { type Question, statusOf, type Transport } from './transport/transport.ts'

/** The same wiki with credentials and without; no visitor where only the gateway can be reached. */
export type Doors = { transport: Transport; visitor: Pick<Transport, 'ask'> | null }

/**
 * Drops anonymous grants unless an unauthenticated request succeeds: a space keeps them while the wiki as a whole
 * refuses anonymous access, and only administrators can read that setting.
 */
export async function provedForVisitors(grants: Grant[], isOpen: () => Promise<boolean>): Promise<Grant[]> {
  const isAnonymous = ({ to }: Grant) => to.kind === 'class' && to.id === ANONYMOUS
  if (!grants.some(isAnonymous) || (await isOpen())) return grants
  return grants.filter((grant) => !isAnonymous(grant))
}

/** Throws where the wiki did not answer, since that is neither yes nor no. */
export async function letsVisitorsIn<T>(
  visitor: Doors['visitor'],
  probe: Question<T>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!visitor) return false
  try {
    await visitor.ask({ ...probe, tries: 3 }, signal)
    return true
  } catch (error) {
    if (error instanceof AppError && statusOf(error) !== null && !error.retryable) return false
    throw error
  }
}
