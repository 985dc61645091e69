import type { FastifyReply } from 'fastify'
import { AppError } from '../errors.ts'

/**
 * Aborts when the time is over, or when the client disconnects, so that a closed page does not keep a source
 * busy.
 */
export async function withDeadline<T>(
  reply: FastifyReply,
  { ms, doing }: { ms: number; doing: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(ms)
  const disconnected = new AbortController()
  const onClose = () => disconnected.abort()
  reply.raw.once('close', onClose)
  try {
    return await work(AbortSignal.any([timeout, disconnected.signal]))
  } catch (error) {
    if (error instanceof AppError) throw error
    if (disconnected.signal.aborted) throw new AppError('cancelled', `${doing}: the client disconnected`)
    if (timeout.aborted) throw new AppError('source_failed', `${doing} took longer than ${ms / 1000} s`)
    throw error
  } finally {
    reply.raw.off('close', onClose)
  }
}
