import type { Logger } from 'pino'

/** Runs `work` every `ms` until stopped, never twice at the same time. */
export function every(
  ms: number,
  work: () => Promise<void>,
  log: Pick<Logger, 'error'>,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= work()
      .catch((error) => log.error({ err: error }, 'a periodic task failed'))
      .finally(() => {
        running = null
      })
  }, ms)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
