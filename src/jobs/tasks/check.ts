import { AppError, explain } from '../../errors.ts'
import { noteSteps, readCheck, readConnector, reportCheck } from '../../store/connectors/connectors.ts'
import type { Handler } from '../engine.ts'
import { addSwapStep } from '../swap/check-step.ts'
import type { TaskContext } from './job-task.ts'

/** A connection check; it belongs to no job. */
export function checkTask({ resources, connections }: TaskContext): Handler<'check'> {
  const { db, log } = resources
  return async ({ checkId }, { lastTry, signal }) => {
    const check = await readCheck(db, checkId)
    const connector = check && (await readConnector(db, check.connector_id))
    if (!connector || check.status !== 'SCHEDULED') return
    try {
      const opened =
        connector.kind === 'source'
          ? await connections.openSource(connector.id)
          : await connections.openDestination(connector.id)
      try {
        // Writes progress in order, so that a step never returns to an earlier state.
        let noted = Promise.resolve()
        const report = await opened.check(signal, (steps) => {
          noted = noted.then(() => noteSteps(db, checkId, steps)).catch(() => {})
        })
        await noted
        const complete = await addSwapStep(report, { db, connectorId: connector.id, opened }, signal)
        await reportCheck(db, checkId, complete)
      } finally {
        await opened.close()
      }
    } catch (error) {
      if (signal.aborted && !lastTry) throw error
      if (!(error instanceof AppError))
        log.error({ check_id: checkId, err: error }, 'a connection check failed')
      const { message } = explain(error)
      await reportCheck(db, checkId, {
        ok: false,
        reason: message,
        steps: [{ name: 'check', status: 'failed', detail: message }],
      })
    }
  }
}
