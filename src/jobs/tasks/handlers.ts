import type { Handlers } from '../engine.ts'
import { checkTask } from './check.ts'
import { finishTask } from './finish.ts'
import type { TaskContext } from './job-task.ts'
import { listTask } from './list.ts'
import { sliceTask } from './slice.ts'
import { uploadsTask } from './uploads.ts'

/** A job runs list → slices → finish. Every task can run twice, in any worker. */
export function taskHandlers(context: TaskContext): Omit<Handlers, 'scheduled'> {
  return {
    list: listTask(context),
    slice: sliceTask(context),
    finish: finishTask(context),
    files: uploadsTask(context),
    check: checkTask(context),
  }
}
