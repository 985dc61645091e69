import { ANONYMOUS } from '../../../access.ts'
import { AppError, type ErrorCode } from '../../../errors.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import type { Grant } from './permissions.ts'

/** The same wiki with credentials and without; no visitor where only the gateway can be reached. */
export type VisitorTransports = { transport: WikiTransport; visitor: Pick<WikiTransport, 'ask'> | null }

/**
 * Drops anonymous grants unless an unauthenticated request succeeds: a space keeps them while the wiki as a whole
 * refuses anonymous access, and only administrators can read that setting. Without an answer they are unproved.
 */
export async function proveVisitorGrants(grants: Grant[], isOpen: () => Promise<boolean>): Promise<Grant[]> {
  const isAnonymous = ({ to }: Grant) => to.kind === 'class' && to.id === ANONYMOUS
  if (!grants.some(isAnonymous)) return grants
  const open = await isOpen().catch(whyUnanswered)
  if (open === true) return grants
  if (open === false) return grants.filter((grant) => !isAnonymous(grant))
  return grants.map((grant) => (isAnonymous(grant) ? { ...grant, unproved: open } : grant))
}

/** Throws where the wiki did not answer, since that is neither yes nor no; such an error never ends a job. */
export async function allowsVisitors<T>(
  visitor: VisitorTransports['visitor'],
  probe: WikiRequest<T>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!visitor) return false
  try {
    await visitor.ask({ ...probe, tries: 3 }, signal)
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error
    if (REFUSALS.includes(error.code)) return false
    throw new AppError('source_failed', error.message, { cause: error, fix: error.fix })
  }
}

/** 401, 403, 404 and the page for signing in. */
const REFUSALS: ErrorCode[] = ['source_unauthorized', 'source_forbidden', 'source_not_found']

function whyUnanswered(error: unknown): string {
  if (!(error instanceof AppError) || error.endsJob) throw error
  return `whether visitors may read is not known: ${error.message}`
}
