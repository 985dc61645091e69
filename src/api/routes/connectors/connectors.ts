import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mask } from '../../../connectors/describe.ts'
import type { Registry } from '../../../connectors/registry.ts'
import { AppError, invalid } from '../../../errors.ts'
import { isSandboxConfig } from '../../../jobs/sandbox.ts'
import {
  type ConnectorKind,
  type ConnectorRow,
  deleteConnector,
  listConnectorPart,
} from '../../../store/connectors/connectors.ts'
import { workflowsUsing } from '../../../store/workflows/workflows.ts'
import { refuseWhileRemoving } from '../../../workflows/target.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { connectorShape, destinationShape } from '../../shapes/resources.ts'
import { NOT_BLANK } from '../../shapes/rules.ts'
import { deleteSandbox, refuseSandboxChange } from './add-sandbox.ts'
import { mergeSettings, nameTaken, storeChange } from './change-connector.ts'
import { connectionCheckRoutes } from './connection-check.ts'
import { connectorIn } from './connector-in.ts'
import { storeConnector } from './new-connector.ts'
import { checkSettings, shortened, wholeSettings } from './setting-limits.ts'

/** Sources and destinations share seven routes. */
export function connectorRoutes(app: App, kind: ConnectorKind, context: ApiContext): void {
  listAndCreateRoutes(app, kind, context)
  oneConnectorRoutes(app, kind, context)
  connectionCheckRoutes(app, kind, context)
}

function listAndCreateRoutes(app: App, kind: ConnectorKind, { resources }: ApiContext): void {
  const { db, registry } = resources
  const base = `/${kind}s`
  const findType = (name: string) => registry[kind](name)
  const shape = kind === 'source' ? connectorShape : destinationShape
  const toResponse = (row: ConnectorRow) => toDestination(registry, row)

  function unknownType(name: string): string {
    const known = registry[`${kind}s`].map(({ type }) => type)
    return `"${name}" is not a ${kind} type; known: ${known.join(', ')}`
  }

  const typeQuery =
    kind === 'source'
      ? z.strictObject({ source_type: z.string().optional(), ...listQuery })
      : z.strictObject({ destination_type: z.string().optional(), ...listQuery })
  app.get(
    base,
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: typeQuery, response: { 200: z.array(shape) } },
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
      const range = rangeOf(query)
      const { rows, next } = await listConnectorPart(db, callerOf(request).workspaceId, {
        kind,
        type,
        ...range,
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
    { config: { allows: 'developer', keys: true }, schema: { body: creation, response: { 200: shape } } },
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
}

function oneConnectorRoutes(app: App, kind: ConnectorKind, { resources }: ApiContext): void {
  const { db, registry } = resources
  const base = `/${kind}s`
  const shape = kind === 'source' ? connectorShape : destinationShape
  const updatedShape = kind === 'source' ? updatedSourceShape : shape
  const toResponse = (row: ConnectorRow) => toDestination(registry, row)
  const find = (request: FastifyRequest<{ Params: { id: string } }>) =>
    connectorIn(db, callerOf(request).workspaceId, { kind, id: request.params.id })

  app.get(
    `${base}/:id`,
    { config: { allows: 'viewer', keys: true }, schema: { params: idParams, response: { 200: shape } } },
    async (request) => toResponse(await find(request)),
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
      schema: { params: idParams, body: update, response: { 200: updatedShape } },
    },
    async (request) => {
      const row = await find(request)
      const { name, config: given } = request.body
      const input = given && wholeSettings(given, toResponse(row).config)
      if (input) checkSettings(input)
      const isSandbox = isSandboxConfig(row.config)
      if (isSandbox && input) refuseSandboxChange(row, input)
      const settings = input && !isSandbox ? mergeSettings(resources, row, input) : {}
      const { changed, warnings } = await storeChange(resources, row, {
        ...settings,
        ...(name ? { name } : {}),
      })
      return { ...toResponse(changed), warnings }
    },
  )

  app.delete(
    `${base}/:id`,
    {
      config: { allows: 'developer', keys: true },
      schema: { params: idParams, response: { 200: z.object({}) } },
    },
    async (request) => {
      const { actor } = callerOf(request)
      const row = await find(request)
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
}

const updatedSourceShape = connectorShape.extend({
  warnings: z
    .array(z.object({ code: z.enum(['site_changed', 'account_changed']), message: z.string() }))
    .describe('What the change hides'),
})

export const connectorName = z
  .string()
  .trim()
  .min(1, 'a name is needed')
  .max(255, 'at most 255 characters')
  .meta(NOT_BLANK)

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
