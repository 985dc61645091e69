import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { undoesDeletionsOf } from '../../../accounts/roles.ts'
import type { Egress } from '../../../connectors/egress/egress.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { channelSealBinding } from '../../../jobs/notifications/deliver.ts'
import { newWebhookSecret, parseWebhookSecret, SECRET_BYTES } from '../../../jobs/notifications/signature.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Database } from '../../../store/database.ts'
import {
  type ChannelOwner,
  type ChannelRow,
  deleteChannel,
  insertChannel,
  listChannels,
  readChannel,
  restoreChannel,
  updateChannel,
} from '../../../store/notifications/channels.ts'
import { type ApiContext, type App, callerOf, isId } from '../../http/context.ts'
import { announceNext, rangeOf } from '../../http/list-page.ts'
import {
  channelBody,
  channelChange,
  channelListShape,
  channelQuery,
  channelShape,
  newChannelShape,
  toChannel,
  verificationBody,
} from '../../shapes/channel.ts'
import { workflowIn } from '../workflows/workflow-in.ts'
import { deliveryRoutes } from './deliveries.ts'

/** The same routes for channels of the workspace and of one workflow. */
export function channelRoutes(app: App, context: ApiContext): void {
  routesFor(app, context, { prefix: '/notifications/channels', noun: 'NotificationChannel' })
  routesFor(app, context, {
    prefix: '/workflows/:workflow_id/notifications/channels',
    noun: 'WorkflowNotificationChannel',
  })
}

type Routes = { prefix: string; noun: string }
type ChannelRequests = Routes & ReturnType<typeof readRequests>

const tags = ['notifications']
const config = { allows: 'developer', keys: true } as const

function routesFor(app: App, context: ApiContext, routes: Routes): void {
  const requests = { ...routes, ...readRequests(context.resources.db, routes) }
  listAndCreateRoutes(app, context, requests)
  oneChannelRoutes(app, context, requests)
  deliveryRoutes(app, context, requests)
}

/** What the requests of both owners name. */
function readRequests(db: Database, { prefix }: Routes) {
  const isOfWorkflow = prefix.includes(':workflow_id')
  const ownerParams = z.object(isOfWorkflow ? { workflow_id: z.string() } : {})
  const params = ownerParams.extend({ channel_id: z.string() })

  async function ownerOf(request: FastifyRequest): Promise<ChannelOwner> {
    const { workspaceId } = callerOf(request)
    if (!isOfWorkflow) return { workspaceId, workflowId: null }
    const { workflow_id: id = '' } = request.params as { workflow_id?: string }
    const workflow = await workflowIn(db, workspaceId, id)
    return { workspaceId, workflowId: workflow.id }
  }

  async function find(request: FastifyRequest): Promise<ChannelRow> {
    const owner = await ownerOf(request)
    const { channel_id: id = '' } = request.params as { channel_id?: string }
    const row = isId(id) ? await readChannel(db, owner, id) : undefined
    if (!row) throw notFound('Channel')
    return row
  }

  function record(request: FastifyRequest, action: string, { id, url }: Pick<ChannelRow, 'id' | 'url'>) {
    const { workspaceId, actor } = callerOf(request)
    // Only the host: the path may hold a secret.
    return recordAudit(db, { workspaceId, actor, action, subject: { channel: id, host: new URL(url).host } })
  }

  return { ownerParams, params, ownerOf, find, record }
}

function listAndCreateRoutes(app: App, { resources }: ApiContext, requests: ChannelRequests): void {
  const { db, vault, egress } = resources
  const { prefix, noun, ownerParams, ownerOf, record } = requests

  app.get(
    prefix,
    {
      config,
      schema: {
        tags,
        operationId: `list${noun}s`,
        params: ownerParams,
        querystring: channelQuery,
        response: { 200: channelListShape },
      },
    },
    async (request, reply) => {
      const owner = await ownerOf(request)
      const { channel_type: type, enabled } = request.query
      if (type === 'email') return { items: [] }
      const { rows, next } = await listChannels(db, owner, { enabled, ...rangeOf(request.query) })
      announceNext(request, reply, next)
      return { items: rows.map(toChannel) }
    },
  )

  app.post(
    prefix,
    {
      config,
      schema: {
        tags,
        operationId: `create${noun}`,
        params: ownerParams,
        body: channelBody,
        response: { 201: newChannelShape },
      },
    },
    async (request, reply) => {
      const owner = await ownerOf(request)
      const { body } = request
      if (body.channel_type === 'email') throw noEmail()
      const id = randomUUID()
      const { secret, isNew } = chooseSecret(body.secret)
      const row = await insertChannel(db, owner, {
        id,
        url: checkUrl(egress, body.url),
        description: body.description || null,
        event_types: [...new Set(body.event_types)],
        enabled: body.enabled ?? true,
        secret: vault.seal(secret, channelSealBinding({ workspace_id: owner.workspaceId, id })),
      })
      await record(request, 'create_channel', row)
      return reply.code(201).send({ ...toChannel(row), ...(isNew ? { secret } : {}) })
    },
  )
}

function oneChannelRoutes(app: App, { resources }: ApiContext, requests: ChannelRequests): void {
  const { db, vault, egress } = resources
  const { prefix, noun, params, ownerOf, find, record } = requests

  app.get(
    `${prefix}/:channel_id`,
    { config, schema: { tags, operationId: `get${noun}`, params, response: { 200: channelShape } } },
    async (request) => toChannel(await find(request)),
  )

  app.patch(
    `${prefix}/:channel_id`,
    {
      config,
      schema: {
        tags,
        operationId: `update${noun}`,
        params,
        body: channelChange,
        response: { 200: newChannelShape },
      },
    },
    async (request) => {
      const found = await find(request)
      const { url, description, event_types: types, enabled, secret: given } = request.body
      const chosen = given == null ? null : chooseSecret(given)
      const row = await updateChannel(db, found.id, {
        ...(url ? { url: checkUrl(egress, url) } : {}),
        ...(description === undefined ? {} : { description: description || null }),
        ...(types ? { event_types: [...new Set(types)] } : {}),
        ...(enabled == null ? {} : { enabled }),
        ...(chosen ? { secret: vault.seal(chosen.secret, channelSealBinding(found)) } : {}),
      })
      if (!row) throw notFound('Channel')
      await record(request, chosen ? 'rotate_channel_secret' : 'update_channel', row)
      return { ...toChannel(row), ...(chosen?.isNew ? { secret: chosen.secret } : {}) }
    },
  )

  app.delete(
    `${prefix}/:channel_id`,
    { config, schema: { tags, operationId: `delete${noun}`, params, response: { 204: z.null() } } },
    async (request, reply) => {
      const channel = await find(request)
      await deleteChannel(db, channel, callerOf(request).actor)
      await record(request, 'delete_channel', channel)
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${prefix}/:channel_id/restore`,
    { config, schema: { tags, operationId: `restore${noun}`, params, response: { 200: channelShape } } },
    async (request) => {
      const owner = await ownerOf(request)
      const { channel_id: id } = request.params
      if (!isId(id)) throw notFound('Deleted channel')
      const channel = await restoreChannel(db, owner, { id, deletedBy: undoesDeletionsOf(callerOf(request)) })
      await record(request, 'restore_channel', channel)
      return toChannel(channel)
    },
  )

  app.post(
    `${prefix}/:channel_id/verify`,
    {
      config,
      schema: {
        tags,
        operationId: `verify${noun}`,
        params,
        body: verificationBody,
        response: { 204: z.null() },
      },
    },
    async (request) => {
      await find(request)
      throw noEmail()
    },
  )
}

function checkUrl(egress: Egress, text: string): string {
  const url = URL.parse(text)
  if (!url) throw invalid(['body', 'url'], 'url should be an address such as https://hooks.acme.example/in')
  const refusal = egress.refusal(url)
  if (refusal) throw invalid(['body', 'url'], `connecting to ${url.host || text}: ${refusal}`)
  return url.href
}

/** The secret in use, and whether the response shows it. */
function chooseSecret(given: string | null | undefined) {
  if (!given) return { secret: newWebhookSecret(), isNew: true }
  const secret = parseWebhookSecret(given)
  if (secret) return { secret, isNew: false }
  const { min, max } = SECRET_BYTES
  throw invalid(['body', 'secret'], `secret should be whsec_ and the base64 of ${min} to ${max} bytes`)
}

function noEmail(): AppError {
  return new AppError('email_not_supported', 'this service sends no e-mail', {
    fix: 'Create a channel of type webhook',
  })
}
