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
  const gone = new AbortController()
  const leave = () => gone.abort()
  reply.raw.once('close', leave)
  try {
    return await work(AbortSignal.any([timeout, gone.signal]))
  } catch (error) {
    if (error instanceof AppError) throw error
    if (gone.signal.aborted) throw new AppError('cancelled', `${doing}: whoever asked has gone`)
    if (timeout.aborted) throw new AppError('source_failed', `${doing} took longer than ${ms / 1000} s`)
    throw error
  } finally {
    reply.raw.off('close', leave)
  }
}
