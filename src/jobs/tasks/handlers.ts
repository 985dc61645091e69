import type { Handlers } from '../engine.ts'
import { checkTask } from './check.ts'
import { finishTask } from './finish.ts'
import type { TaskContext } from './job-task.ts'
import { listTask } from './list.ts'
import { sliceTask } from './slice.ts'
import { uploadsTask } from './uploads.ts'

/**
 * The tasks of a job: list → slices → finish. The listing sends slices while it runs; the task that ends the last
 * document sends `finish`. Every task can run twice, in any worker, at any time.
 */
export function taskHandlers(context: TaskContext): Omit<Handlers, 'scheduled'> {
  return {
    list: listTask(context),
    slice: sliceTask(context),
    finish: finishTask(context),
    files: uploadsTask(context),
    check: checkTask(context),
  }
}
