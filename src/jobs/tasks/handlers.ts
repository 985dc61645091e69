import { deliverTask } from '../notifications/deliver.ts'
import type { Handlers } from '../queue/engine.ts'
import { checkTask } from './check.ts'
import { contentTask, type TimedContext } from './content.ts'
import { finishTask } from './finish.ts'
import { listTask } from './list.ts'
import { permissionsTask } from './permissions.ts'
import { removeElementsTask } from './remove-elements.ts'
import { uploadsTask } from './uploads.ts'
import { writePermissionsTask } from './write-permissions.ts'

/** A job runs list → content → finish. Every task can run twice, in any worker. */
export function taskHandlers(context: TimedContext): Omit<Handlers, 'scheduled' | 'verify'> {
  return {
    list: listTask(context),
    content: contentTask(context),
    finish: finishTask(context),
    files: uploadsTask(context),
    check: checkTask(context),
    deliver: deliverTask(context.resources),
    permissions: permissionsTask(context),
    write_permissions: writePermissionsTask(context),
    remove_elements: removeElementsTask(context),
  }
}
