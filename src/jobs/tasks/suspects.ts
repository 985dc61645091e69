import { createLimiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'

/**
 * A document is set aside after three deaths of its process: the first may have been the fault of any document that was
 * processed then, so it is processed alone afterwards, and alone it stopped the process twice.
 */
export const MAX_DEATHS = 3

/** One at a time in this process, so that a death tells which one it was. */
export const runSuspect = createLimiter(1)

export function stoppedWorker(): AppError {
  return new AppError('worker_stopped', 'processing it alone stopped the worker twice', {
    fix: 'Check its size and the settings of the workflow; the next run tries again',
  })
}
