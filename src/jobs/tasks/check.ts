import type { Destination } from '../../connectors/destination.ts'
import type { Source } from '../../connectors/source.ts'
import { withOpen } from '../../connectors/with-open.ts'
import { AppError, explain } from '../../errors.ts'
import type { CheckReport, CheckStep } from '../../report.ts'
import {
  type ConnectorRow,
  readCheck,
  readConnector,
  recordCheckReport,
  recordCheckSteps,
} from '../../store/connectors/connectors.ts'
import type { Handler } from '../queue/engine.ts'
import { addSwapStep } from '../swap/check-step.ts'
import type { TaskContext } from './job-task.ts'

/** A person waits for the result, and other checks wait for the worker. */
const DEADLINE_MS = 30_000

type CheckContext = Pick<TaskContext, 'resources' | 'connections'>

/** A connection check; it belongs to no job. */
export function checkTask(context: CheckContext, deadlineMs = DEADLINE_MS): Handler<'check'> {
  const { db, log } = context.resources
  return async ({ checkId }, { lastTry, signal }) => {
    const check = await readCheck(db, checkId)
    const connector = check && (await readConnector(db, check.connector_id))
    if (!connector || check.status !== 'SCHEDULED') return
    const deadline = AbortSignal.timeout(deadlineMs)
    const steps = new RecordedSteps((taken) => recordCheckSteps(db, checkId, taken))
    const ended = await within(
      (inner) => runCheck(connector, { context, steps }, inner),
      AbortSignal.any([signal, deadline]),
    ).catch((error: unknown): CheckReport => {
      if (signal.aborted && !lastTry) throw error
      if (deadline.aborted) return steps.failed(tooSlow(deadlineMs))
      if (!(error instanceof AppError))
        log.error({ check_id: checkId, err: error }, 'a connection check failed')
      const { message } = explain(error)
      return { ok: false, reason: message, steps: [{ name: 'check', status: 'failed', detail: message }] }
    })
    await steps.recorded
    await recordCheckReport(db, checkId, ended)
  }
}

async function runCheck(
  connector: ConnectorRow,
  { context: { resources, connections }, steps }: { context: CheckContext; steps: RecordedSteps },
  signal: AbortSignal,
): Promise<CheckReport> {
  const { id: connectorId, kind } = connector
  const opening: Promise<Source | Destination> =
    kind === 'source' ? connections.openSource(connectorId) : connections.openDestination(connectorId)
  return withOpen(opening, async (opened) => {
    const report = await opened.check(signal, (taken) => steps.record(taken))
    return addSwapStep(report, { db: resources.db, connectorId, opened }, signal)
  })
}

/** Rejects when the signal aborts, even if the work ignores it. */
async function within<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work(signal), aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Writes progress in order, so that a step never returns to an earlier state. */
class RecordedSteps {
  recorded: Promise<void> = Promise.resolve()
  readonly #write: (steps: CheckStep[]) => Promise<void>
  #latest: CheckStep[] = []

  constructor(write: (steps: CheckStep[]) => Promise<void>) {
    this.#write = write
  }

  record(steps: CheckStep[]): void {
    this.#latest = steps
    this.recorded = this.recorded.then(() => this.#write(steps)).catch(() => {})
  }

  /** The first pending step fails, and the rest is skipped. */
  failed({ reason, fix }: { reason: string; fix: string }): CheckReport {
    const at = this.#latest.findIndex(({ status }) => status === 'pending')
    const done = at === -1 ? this.#latest : this.#latest.slice(0, at)
    const name = this.#latest[at]?.name ?? 'check'
    const rest = at === -1 ? [] : this.#latest.slice(at + 1)
    const steps: CheckStep[] = [
      ...done,
      { name, status: 'failed', detail: reason, fix },
      ...rest.map((step): CheckStep => ({ ...step, status: 'skipped' })),
    ]
    return { ok: false, reason, steps }
  }
}

function tooSlow(deadlineMs: number): { reason: string; fix: string } {
  return {
    reason: `the check did not end within ${deadlineMs / 1000} s`,
    fix: 'Check that the server responds and that this service can reach it',
  }
}
