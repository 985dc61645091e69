import type { FastifyReply } from 'fastify'
import { AppError } from '../../errors.ts'

/** Below the limit of common proxies. */
const DEFAULT_MS = 30_000

/** Aborts at the deadline, or when the client disconnects, to save requests to the source. */
export async function withDeadline<T>(
  reply: FastifyReply,
  { doing, ms = DEFAULT_MS }: { doing: string; ms?: number },
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
    if (disconnected.signal.aborted)
      throw new AppError('client_disconnected', `${doing}: the client disconnected`)
    if (timeout.aborted) throw new AppError('source_failed', `${doing} took longer than ${ms / 1000} s`)
    throw error
  } finally {
    reply.raw.off('close', onClose)
  }
}
