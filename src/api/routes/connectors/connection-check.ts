import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'
import { notFound } from '../../../errors.ts'
import type { CheckStep } from '../../../report.ts'
import {
  type CheckRow,
  type ConnectorKind,
  insertCheck,
  latestCheck,
} from '../../../store/connectors/connectors.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { LANGUAGES, pageLanguage } from '../../http/page-language.ts'
import { checkShape } from '../../shapes/resources.ts'
import { connectorIn } from './connector-in.ts'

export function connectionCheckRoutes(
  app: App,
  kind: ConnectorKind,
  { resources, engine }: ApiContext,
): void {
  const { db, registry } = resources
  const base = `/${kind}s`

  app.post(
    `${base}/:id/connection-check`,
    {
      config: { allows: 'developer', keys: true },
      schema: { params: idParams, response: { 202: checkShape } },
    },
    async (request, reply) => {
      const row = await connectorIn(db, callerOf(request).workspaceId, { kind, id: request.params.id })
      const check = await db.transaction().execute(async (transaction) => {
        const active = await insertCheck(transaction, { id: randomUUID(), connectorId: row.id })
        await engine.send('check', { checkId: active.id }, transaction)
        return active
      })
      return reply.code(202).send(toCheck(check, namedSteps(check.steps, request, registry[kind](row.type))))
    },
  )

  app.get(
    `${base}/:id/connection-check`,
    { config: { allows: 'viewer', keys: true }, schema: { params: idParams, response: { 200: checkShape } } },
    async (request) => {
      const row = await connectorIn(db, callerOf(request).workspaceId, { kind, id: request.params.id })
      const check = await latestCheck(db, row.id)
      if (!check) throw notFound('Connection check')
      return toCheck(check, namedSteps(check.steps, request, registry[kind](row.type)))
    },
  )
}

/** With their names in the language of the page; a failed one with the fields that fix it. */
export function namedSteps(
  steps: CheckStep[],
  { headers }: FastifyRequest,
  type: SourceType | DestinationType | undefined,
): z.infer<typeof checkShape>['steps'] {
  const names = type?.translations?.[pageLanguage(headers, LANGUAGES)]?.steps ?? {}
  return steps.map((step) => {
    const fields = step.status === 'failed' ? type?.stepFields?.[step.name] : undefined
    return { ...step, name: names[step.name] ?? step.name, ...(fields ? { fields } : {}) }
  })
}

function toCheck(check: CheckRow, steps: z.infer<typeof checkShape>['steps']): z.infer<typeof checkShape> {
  return {
    id: check.id,
    status: check.status,
    reason: check.reason,
    steps,
    created_at: check.created_at.toISOString(),
    reported_at: check.reported_at?.toISOString() ?? null,
  }
}
