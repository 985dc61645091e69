import { AppError, type ErrorCode } from '../../../errors.ts'
import { ANONYMOUS } from '../../../permissions/principals.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import type { Grant } from './permissions.ts'

/** The wiki with and without credentials. `visitor` is null if only the gateway is reachable. */
export type VisitorTransports = { transport: WikiTransport; visitor: Pick<WikiTransport, 'send'> | null }

/** Keeps anonymous grants only if an anonymous request succeeds: a site-wide switch may override them. */
export async function proveVisitorGrants(grants: Grant[], isOpen: () => Promise<boolean>): Promise<Grant[]> {
  const isAnonymous = ({ to }: Grant) => to.kind === 'class' && to.id === ANONYMOUS
  if (!grants.some(isAnonymous)) return grants
  const open = await isOpen().catch(uncheckedReason)
  if (open === true) return grants
  if (open === false) return grants.filter((grant) => !isAnonymous(grant))
  return grants.map((grant) => (isAnonymous(grant) ? { ...grant, unproved: open } : grant))
}

/** If the wiki does not respond, throws an error that does not end the job. */
export async function allowsVisitors<T>(
  visitor: VisitorTransports['visitor'],
  request: WikiRequest<T>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!visitor) return false
  try {
    await visitor.send({ ...request, tries: 3 }, signal)
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error
    if (REFUSALS.includes(error.code)) return false
    throw new AppError('source_failed', error.message, { cause: error, fix: error.fix })
  }
}

/** 401, 403, 404 and the sign-in page. */
const REFUSALS: ErrorCode[] = ['source_unauthorized', 'source_forbidden', 'source_not_found']

function uncheckedReason(error: unknown): string {
  if (!(error instanceof AppError) || error.endsJob) throw error
  return `could not check whether visitors may read: ${error.message}`
}
