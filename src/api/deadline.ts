import type { FastifyReply } from 'fastify'
import { AppError } from '../errors.ts'

/**
 * Work that somebody waits for: it is given up when the time is over, which is an answer like others, and when whoever
 * asked has gone, so that a closed page does not keep a wiki busy.
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
