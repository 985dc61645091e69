import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { mask, mergeUpdate, splitSecrets } from '../../connectors/describe.ts'
import type { Registry } from '../../connectors/registry.ts'
import { AppError } from '../../errors.ts'
import { openSecrets, sealBinding } from '../../jobs/connections.ts'
import {
  type CheckRow,
  type ConnectorKind,
  type ConnectorRow,
  deleteConnector,
  insertCheck,
  latestCheck,
  listConnectors,
  readConnectorIn,
  updateConnector,
} from '../../store/connectors/connectors.ts'
import { workflowsUsing } from '../../store/workflows/workflows.ts'
import { retarget } from '../../workflows/target.ts'
import { type ApiContext, type App, callerOf, isId } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { storeConnector } from '../new-connector.ts'
import { checkShape, connectorShape } from '../shapes/resources.ts'

/** Sources and destinations share seven routes. */
export function connectorRoutes(app: App, kind: ConnectorKind, { resources, engine }: ApiContext): void {
  const { db, vault, egress, registry } = resources
  const base = kind === 'source' ? '/sources' : '/destinations'
  const tags = [kind === 'source' ? 'sources' : 'destinations']
  const params = z.object({ id: z.string() })

  const typeNamed = (name: string) => registry[kind](name)
  const shown = (row: ConnectorRow) => showConnector(registry, row)

  function unknownType(name: string): string {
    const known = registry[`${kind}s`].map(({ type }) => type)
    return `"${name}" is not a ${kind} type; known: ${known.join(', ')}`
  }

  async function find(workspaceId: string, id: string): Promise<ConnectorRow> {
    const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind, id }) : undefined
    if (!row) throw notFound(kind === 'source' ? 'Source' : 'Destination')
    return row
  }

  /** An unreadable secret can be entered again. */
  function readable(row: ConnectorRow): Record<string, string> {
    try {
      return openSecrets(resources, row)
    } catch (error) {
      if (error instanceof AppError && error.code === 'secret_unreadable') return {}
      throw error
    }
  }

  /** Settings after an update, and moved targets. */
  async function changeOf(row: ConnectorRow, input: object) {
    const type = typeNamed(row.type)
    if (!type) throw notFound('Connector type')
    const stored = { plain: row.config, secrets: readable(row), wireNames: row.wire.fields }
    const { config, wireNames } = mergeUpdate(type, stored, { input, egress })
    const { plain, secrets } = splitSecrets(type, config)
    return {
      moveWorkflows: await retarget(resources, { ...row, config: plain }),
      change: {
        config: plain,
        secrets: vault.seal(JSON.stringify(secrets), sealBinding(row)),
        wire: { type: row.wire.type, fields: wireNames },
      },
    }
  }

  const typeQuery = z.object({ source_type: z.string().optional(), destination_type: z.string().optional() })
  app.get(
    base,
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags, querystring: typeQuery, response: { 200: z.array(connectorShape) } },
    },
    async (request) => {
      const wanted = kind === 'source' ? request.query.source_type : request.query.destination_type
      const type = wanted ? (typeNamed(wanted)?.type ?? wanted) : undefined
      const rows = await listConnectors(db, callerOf(request).workspaceId, type ? { kind, type } : { kind })
      return rows.map(shown)
    },
  )

  const creation = z.strictObject({
    name: connectorName,
    type: z.string(),
    config: z.looseObject({}),
    key: z.string().nullish(),
  })
  app.post(
    base,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, body: creation, response: { 200: connectorShape } },
    },
    async (request) => {
      const { name, type: typeName, config: input } = request.body
      const type = typeNamed(typeName)
      if (!type) throw invalid(['body', 'type'], unknownType(typeName), 'enum')
      const { workspaceId } = callerOf(request)
      const row = await storeConnector(resources, workspaceId, { kind, type, typeName, name, input })
      if (!row) throw nameTaken(kind, name)
      return shown(row)
    },
  )

  app.get(
    `${base}/:id`,
    { config: { allows: 'viewer', keys: true }, schema: { tags, params, response: { 200: connectorShape } } },
    async (request) => shown(await find(callerOf(request).workspaceId, request.params.id)),
  )

  // Clients may send only settings, or only a name.
  const update = z
    .strictObject({ config: z.looseObject({}).optional(), name: connectorName.nullish() })
    .refine(({ config, name }) => config !== undefined || name, {
      path: ['config'],
      error: 'config is missing',
    })
  app.put(
    `${base}/:id`,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, params, body: update, response: { 200: connectorShape } },
    },
    async (request) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const { name, config: input } = request.body
      const { change, moveWorkflows } = input ? await changeOf(row, input) : unmoved
      const changed = await updateConnector(db, row.id, { ...change, ...(name ? { name } : {}) })
      if (!changed) throw nameTaken(kind, name ?? row.name)
      await moveWorkflows()
      return shown(changed)
    },
  )

  app.delete(
    `${base}/:id`,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, params, response: { 200: z.object({}) } },
    },
    async (request) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const users = await workflowsUsing(db, row.id)
      if (users.length > 0) {
        const named = users.map((workflow) => `"${workflow.name}"`).join(', ')
        throw new AppError('in_use', `the ${kind} "${row.name}" is used by ${named}`, {
          fix: 'Delete or change those first',
        })
      }
      await deleteConnector(db, row.id)
      return {}
    },
  )

  app.post(
    `${base}/:id/connection-check`,
    { config: { allows: 'developer', keys: true }, schema: { tags, params, response: { 202: checkShape } } },
    async (request, reply) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const check = await insertCheck(db, { id: randomUUID(), connectorId: row.id })
      await engine.send('check', { checkId: check.id })
      return reply.code(202).send(toCheck(check))
    },
  )

  app.get(
    `${base}/:id/connection-check`,
    { config: { allows: 'viewer', keys: true }, schema: { tags, params, response: { 200: checkShape } } },
    async (request) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const check = await latestCheck(db, row.id)
      if (!check) throw notFound('Connection check')
      return toCheck(check)
    },
  )
}

const unmoved = { change: {}, moveWorkflows: async () => {} }

const connectorName = z.string().trim().min(1, 'a name is needed').max(255, 'at most 255 characters')

function nameTaken(kind: ConnectorKind, name: string): AppError {
  return new AppError('name_taken', `a ${kind} named "${name}" exists already`, {
    fix: 'Choose another name',
  })
}

export function showConnector(registry: Registry, row: ConnectorRow): z.infer<typeof connectorShape> {
  const type = registry[row.kind](row.type)
  return {
    id: row.id,
    name: row.name,
    type: row.wire.type,
    config: type ? mask(type, row.config, { names: row.wire.fields }) : {},
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at?.toISOString() ?? null,
    key: null,
  }
}

function toCheck(check: CheckRow): z.infer<typeof checkShape> {
  return {
    id: check.id,
    status: check.status,
    reason: check.reason,
    steps: check.steps,
    created_at: check.created_at.toISOString(),
    reported_at: check.reported_at?.toISOString() ?? null,
  }
}
