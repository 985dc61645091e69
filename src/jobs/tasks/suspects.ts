import { createLimiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'

/**
 * A document is set aside after it stopped the process this often while it was processed alone. The deaths before may
 * have been the fault of any document that was processed then.
 */
export const DEATHS_ALONE = 2

/** A kill leaves many suspects, so those of one death are processed together. */
export const GROUP = 10

/** One group or document at a time in this process, so that a death tells which one it was. */
export const runSuspect = createLimiter(1)

export function stoppedWorker(): AppError {
  return new AppError('worker_stopped', 'processing it alone stopped the worker twice', {
    fix: 'Check its size and the settings of the workflow; the next run tries again',
  })
}
