import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { createSharedLimiter } from '../../../concurrency.ts'
import { creationOf } from '../../../connectors/capabilities.ts'
import { locationOf } from '../../../connectors/describe.ts'
import type { Destination } from '../../../connectors/destination.ts'
import type { Source } from '../../../connectors/source.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'
import { withOpen } from '../../../connectors/with-open.ts'
import { AppError, explain, invalid } from '../../../errors.ts'
import type { CheckReport } from '../../../report.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import {
  type ConnectorKind,
  hasConnectorNamed,
  insertCheck,
  recordCheckReport,
} from '../../../store/connectors/connectors.ts'
import { requireRoom } from '../../../store/workspace-limits.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { checkShape, connectorShape, destinationShape } from '../../shapes/resources.ts'
import { nameTaken } from './change-connector.ts'
import { namedSteps } from './connection-check.ts'
import { connectorName, toDestination, typeNames } from './connectors.ts'
import { creationPlanShape, SHAPE } from './create-index.ts'
import { parseNewConfig, storeConnector } from './new-connector.ts'
import { checkSettings } from './setting-limits.ts'

type Plan = z.infer<typeof creationPlanShape>
type Tested = { report: CheckReport; plan: Plan | null; createdIndex: string | null }

/** Of one workspace; a test holds a connection for up to half a minute. */
const MAX_TESTS = 4
const RETRY_AFTER_S = 10
const limitTests = createSharedLimiter({
  total: 8,
  each: 2,
  queue: { max: MAX_TESTS, refuse: tooManyTests },
})

/** Tests settings, and stores a connector only if the test succeeds. */
export function connectRoutes(app: App, kind: ConnectorKind, { resources, connections }: ApiContext): void {
  const { db, egress, registry } = resources
  const shape = kind === 'source' ? connectorShape : destinationShape

  app.post(
    `/${kind}s/connect`,
    {
      config: { allows: 'developer', keys: true },
      schema: {
        body: z.strictObject({
          name: connectorName,
          type: z.string().meta({ enum: typeNames(registry, kind) }),
          config: z.looseObject({}).describe('Settings of the type; GET /connector-types has their schema'),
          create_index: z.boolean().default(false).describe('Whether to create a missing index first'),
        }),
        response: {
          200: z.object({
            check: checkShape.pick({ status: true, reason: true, steps: true }),
            connector: shape.nullable().describe('Null if the test failed'),
            missing_index: creationPlanShape
              .nullable()
              .describe('After a failed test, what would create the index'),
            created_index: z
              .string()
              .nullable()
              .describe('The index that was created, also if the test failed after that'),
          }),
        },
      },
    },
    async (request, reply) => {
      const { name, type: typeName, config: input, create_index: creates } = request.body
      checkSettings(input)
      const type = registry[kind](typeName)
      if (!type) throw invalid(['body', 'type'], `"${typeName}" is not a ${kind} type`, 'enum')
      const { workspaceId, actor } = callerOf(request)
      const { config } = parseNewConfig(type, input, { egress })
      await db.transaction().execute((transaction) => requireRoom(transaction, workspaceId, `${kind}s`))
      if (await hasConnectorNamed(db, workspaceId, { kind, name })) throw nameTaken(kind, name)
      const audit = (action: string, subject: object) =>
        recordAudit(db, { workspaceId, actor, action, subject })
      const opening = () =>
        isSource(type)
          ? connections.openUnstoredSource({ type, config, workspaceId })
          : connections.openUnstoredDestination({ type, config, workspaceId })
      const onCreated = (index: string) => audit('create_index', { name: index })
      const test = (signal: AbortSignal) =>
        testOpened(opening, creates ? onCreated : null, signal).finally(() =>
          audit(`check_${kind}`, { name, type: type.type, address: locationOf(type, config) }),
        )
      const { report, plan, createdIndex } = await withDeadline(
        reply,
        { doing: 'testing the connection' },
        (signal) => limitTests(workspaceId, () => test(signal), signal),
      )
      const check = {
        status: report.ok ? 'SUCCESS' : 'FAILURE',
        reason: report.reason,
        steps: namedSteps(report.steps, request, type),
      } as const
      if (!report.ok) return { check, connector: null, missing_index: plan, created_index: createdIndex }
      const row = await db.transaction().execute(async (transaction) => {
        const stored = await storeConnector({ ...resources, db: transaction }, workspaceId, {
          ...{ kind, type, typeName, name, input },
        })
        if (!stored) throw nameTaken(kind, name)
        const { id } = await insertCheck(transaction, { id: randomUUID(), connectorId: stored.id })
        await recordCheckReport(transaction, id, report)
        return stored
      })
      await audit(`create_${kind}`, { [kind]: row.id, name })
      const connector = toDestination(registry, row)
      return { check, connector, missing_index: null, created_index: createdIndex }
    },
  )
}

function isSource(type: SourceType | DestinationType): type is SourceType {
  return type.kind === 'source'
}

async function testOpened(
  opening: () => Promise<Source | Destination>,
  /** Null if a missing index is not to be created. */
  onCreated: ((index: string) => Promise<void>) | null,
  signal: AbortSignal,
): Promise<Tested> {
  let createdIndex: string | null = null
  try {
    return await withOpen(opening(), async (opened) => {
      const creation = 'create' in opened && opened.create ? creationOf(opened) : undefined
      if (creation && onCreated) {
        const { name } = await creation.plan(SHAPE, signal)
        if ((await creation.run(SHAPE, signal)).created) {
          createdIndex = name
          await onCreated(name)
        }
      }
      const report = await opened.check(signal, () => {})
      const plan = !report.ok && creation ? await creation.plan(SHAPE, signal).catch(() => null) : null
      return { report, plan: plan?.exists ? null : plan, createdIndex }
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    const { message } = explain(error)
    const step = {
      name: 'check',
      status: 'failed',
      detail: message,
      ...(error.fix ? { fix: error.fix } : {}),
    } as const
    return { report: { ok: false, reason: message, steps: [step] }, plan: null, createdIndex }
  }
}

function tooManyTests(): AppError {
  return new AppError(
    'rate_limited',
    `${MAX_TESTS} connection tests of this workspace run or wait, the limit`,
    {
      fix: 'Wait for their answers before you start more',
      retryAfterSeconds: RETRY_AFTER_S,
    },
  )
}
