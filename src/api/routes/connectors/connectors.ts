import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { mask, mergeUpdate, splitSecrets } from '../../../connectors/describe.ts'
import type { Registry } from '../../../connectors/registry.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { openSecrets, sealBinding } from '../../../jobs/connections.ts'
import { isSandboxConfig } from '../../../jobs/sandbox.ts'
import {
  type CheckRow,
  type ConnectorChange,
  type ConnectorKind,
  type ConnectorRow,
  deleteConnector,
  insertCheck,
  latestCheck,
  listConnectorPart,
  lockConnector,
  readConnectorIn,
  updateConnector,
} from '../../../store/connectors/connectors.ts'
import { workflowsUsing } from '../../../store/workflows/workflows.ts'
import { lockWorkspace, requireSettingsRoom } from '../../../store/workspace-limits.ts'
import { leaveSite } from '../../../workflows/source-change.ts'
import { refuseWhileRemoving, retarget } from '../../../workflows/target.ts'
import { type ApiContext, type App, callerOf, isId } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { checkShape, connectorShape, destinationShape } from '../../shapes/resources.ts'
import { NOT_BLANK } from '../../shapes/rules.ts'
import { deleteSandbox, refuseSandboxChange } from './add-sandbox.ts'
import { refuseSandboxHost, storeConnector } from './new-connector.ts'
import { checkSettings, shortened, wholeSettings } from './setting-limits.ts'

/** Sources and destinations share seven routes. */
export function connectorRoutes(app: App, kind: ConnectorKind, { resources, engine }: ApiContext): void {
  const { db, vault, egress, registry } = resources
  const base = kind === 'source' ? '/sources' : '/destinations'
  const tags = [kind === 'source' ? 'sources' : 'destinations']
  const params = z.object({ id: z.string() })

  const findType = (name: string) => registry[kind](name)
  const shape = kind === 'source' ? connectorShape : destinationShape
  const updatedShape = kind === 'source' ? updatedSourceShape : shape
  const toResponse = (row: ConnectorRow) => toDestination(registry, row)

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
  function readSecrets(row: ConnectorRow): ReturnType<typeof openSecrets> {
    try {
      return openSecrets(resources, row)
    } catch (error) {
      if (error instanceof AppError && error.code === 'secret_unreadable')
        return { secrets: {}, release: () => {} }
      throw error
    }
  }

  /** The settings after an update. */
  function mergeSettings(row: ConnectorRow, input: object): ConnectorChange {
    const type = findType(row.type)
    if (!type) throw notFound('Connector type')
    const { secrets: storedSecrets, release } = readSecrets(row)
    // They only take part in the comparison.
    release()
    const stored = { plain: row.config, secrets: storedSecrets, wireNames: row.wire.fields }
    const { config, wireNames } = mergeUpdate(type, stored, { input, egress })
    refuseSandboxHost(config)
    const { plain, secrets } = splitSecrets(type, config)
    return {
      config: plain,
      secrets: vault.seal(JSON.stringify(secrets), sealBinding(row)),
      wire: { type: row.wire.type, fields: wireNames },
    }
  }

  /** In one transaction, so that no job starts with settings of one site and proofs of another. */
  function store(row: ConnectorRow, change: ConnectorChange) {
    return db.transaction().execute(async (transaction) => {
      if (change.config) await lockWorkspace(transaction, row.workspace_id)
      const before = await lockConnector(transaction, row.id)
      if (!before) throw notFound(kind === 'source' ? 'Source' : 'Destination')
      const after = { ...before, ...(change.config ? { config: change.config } : {}) }
      const context = { db: transaction, registry }
      await refuseWhileRemoving(context, before, after)
      const warnings = kind === 'source' ? await leaveSite(transaction, { before, after, registry }) : []
      const changed = await updateConnector(transaction, row.id, change)
      if (!changed) throw nameTaken(kind, change.name ?? row.name)
      if (change.config) {
        await requireSettingsRoom(transaction, row.workspace_id)
        await retarget(context, changed)
      }
      return { changed, warnings }
    })
  }

  const typeQuery =
    kind === 'source'
      ? z.strictObject({ source_type: z.string().optional(), ...listQuery })
      : z.strictObject({ destination_type: z.string().optional(), ...listQuery })
  app.get(
    base,
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags, querystring: typeQuery, response: { 200: z.array(shape) } },
    },
    async (request, reply) => {
      const { query } = request
      const requestedType =
        'destination_type' in query
          ? query.destination_type
          : 'source_type' in query
            ? query.source_type
            : undefined
      const type = requestedType ? (findType(requestedType)?.type ?? requestedType) : undefined
      const { rows, next } = await listConnectorPart(db, callerOf(request).workspaceId, {
        kind,
        ...(type ? { type } : {}),
        ...rangeOf(query),
      })
      announceNext(request, reply, next)
      return rows.map((row) => {
        const listed = toResponse(row)
        return { ...listed, config: shortened(listed.config) }
      })
    },
  )

  const creation = z.strictObject({
    name: connectorName,
    type: z.string().meta({ enum: typeNames(registry, kind) }),
    config: z.looseObject({}).describe('Settings of the type; GET /connector-types has their schema'),
    key: z.string().nullish(),
  })
  app.post(
    base,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, body: creation, response: { 200: shape } },
    },
    async (request) => {
      const { name, type: typeName, config: input } = request.body
      checkSettings(input)
      const type = findType(typeName)
      if (!type) throw invalid(['body', 'type'], unknownType(typeName), 'enum')
      const { workspaceId } = callerOf(request)
      const row = await storeConnector(resources, workspaceId, { kind, type, typeName, name, input })
      if (!row) throw nameTaken(kind, name)
      return toResponse(row)
    },
  )

  app.get(
    `${base}/:id`,
    { config: { allows: 'viewer', keys: true }, schema: { tags, params, response: { 200: shape } } },
    async (request) => toResponse(await find(callerOf(request).workspaceId, request.params.id)),
  )

  // Clients may send only settings, or only a name.
  const update = z
    .strictObject({ config: z.looseObject({}).optional(), name: connectorName.nullish() })
    .refine(({ config, name }) => config !== undefined || name, {
      path: ['config'],
      error: 'config is missing',
    })
    .meta({
      anyOf: [{ required: ['config'] }, { required: ['name'], properties: { name: { type: 'string' } } }],
    })
  app.put(
    `${base}/:id`,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, params, body: update, response: { 200: updatedShape } },
    },
    async (request) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const { name, config: given } = request.body
      const input = given && wholeSettings(given, toResponse(row).config)
      if (input) checkSettings(input)
      const isSandbox = isSandboxConfig(row.config)
      if (isSandbox && input) refuseSandboxChange(row, input)
      const settings = input && !isSandbox ? mergeSettings(row, input) : {}
      const { changed, warnings } = await store(row, { ...settings, ...(name ? { name } : {}) })
      return { ...toResponse(changed), warnings }
    },
  )

  app.delete(
    `${base}/:id`,
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, params, response: { 200: z.object({}) } },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const row = await find(workspaceId, request.params.id)
      const workflows = await workflowsUsing(db, row.id)
      if (workflows.length > 0) {
        const named = workflows.map((workflow) => `"${workflow.name}"`).join(', ')
        throw new AppError('in_use', `the ${kind} "${row.name}" is used by ${named}`, {
          fix: 'Delete or change those first',
        })
      }
      await refuseWhileRemoving(resources, row)
      if (isSandboxConfig(row.config)) await deleteSandbox(resources, row, actor)
      else await deleteConnector(db, row.id)
      return {}
    },
  )

  app.post(
    `${base}/:id/connection-check`,
    { config: { allows: 'developer', keys: true }, schema: { tags, params, response: { 202: checkShape } } },
    async (request, reply) => {
      const row = await find(callerOf(request).workspaceId, request.params.id)
      const check = await db.transaction().execute(async (transaction) => {
        const active = await insertCheck(transaction, { id: randomUUID(), connectorId: row.id })
        await engine.send('check', { checkId: active.id }, transaction)
        return active
      })
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

const updatedSourceShape = connectorShape.extend({
  warnings: z
    .array(z.object({ code: z.enum(['site_changed', 'account_changed']), message: z.string() }))
    .describe('What the change hides'),
})

const connectorName = z
  .string()
  .trim()
  .min(1, 'a name is needed')
  .max(255, 'at most 255 characters')
  .meta(NOT_BLANK)

function nameTaken(kind: ConnectorKind, name: string): AppError {
  return new AppError('name_taken', `a ${kind} named "${name}" exists already`, {
    fix: 'Choose another name',
  })
}

/** Every name of every type, for the document. */
export function typeNames(registry: Registry, kind: ConnectorKind): string[] {
  return registry[`${kind}s`].flatMap(({ type, aliases }) => [type, ...aliases])
}

export function toConnector(registry: Registry, row: ConnectorRow): z.infer<typeof connectorShape> {
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

export function toDestination(registry: Registry, row: ConnectorRow): z.infer<typeof destinationShape> {
  return { ...toConnector(registry, row), sandbox: isSandboxConfig(row.config) }
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
