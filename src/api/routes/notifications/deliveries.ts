import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, notFound } from '../../../errors.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { firstPart } from '../../../store/keyset.ts'
import type { ChannelRow } from '../../../store/notifications/channels.ts'
import { listDeliveries, readDelivery, replayDelivery } from '../../../store/notifications/deliveries.ts'
import { recordTestEvent, TEST_EVENT } from '../../../store/notifications/events.ts'
import { type ApiContext, type App, callerOf, isId } from '../../http/context.ts'
import { deliveryListShape, deliveryShape, toDelivery } from '../../shapes/channel.ts'
import { noBody } from '../../shapes/rules.ts'

type DeliveryRoutes = {
  prefix: string
  noun: string
  params: z.ZodObject
  find(request: FastifyRequest): Promise<ChannelRow>
}

const tags = ['notifications']
const config = { allows: 'developer', keys: true } as const

/** What was sent to a channel; never the body of a response. */
export function deliveryRoutes(
  app: App,
  { resources: { db }, engine }: ApiContext,
  { prefix, noun, params, find }: DeliveryRoutes,
): void {
  async function deliver(channelId: string, id: string) {
    await engine.send('deliver', { channelId })
    const delivery = await readDelivery(db, channelId, id)
    if (!delivery) throw notFound('Delivery')
    return toDelivery(delivery)
  }

  async function record(request: FastifyRequest, action: string, { id }: ChannelRow): Promise<void> {
    const { workspaceId, actor } = callerOf(request)
    await recordAudit(db, { workspaceId, actor, action, subject: { channel: id } })
  }

  app.get(
    `${prefix}/:channel_id/deliveries`,
    {
      config,
      schema: {
        tags,
        operationId: `list${noun}Deliveries`,
        params,
        querystring: deliveryQuery,
        response: { 200: deliveryListShape },
      },
    },
    async (request) => {
      const channel = await find(request)
      const { cursor, limit } = request.query
      const found = await listDeliveries(db, channel.id, { before: cursor ?? null, limit: limit + 1 })
      const { rows, next } = firstPart(found, limit, (row) => row.sequence)
      return { items: rows.map(toDelivery), next }
    },
  )

  app.post(
    `${prefix}/:channel_id/test`,
    {
      config,
      schema: { tags, operationId: `test${noun}`, params, body: noBody, response: { 202: deliveryShape } },
    },
    async (request, reply) => {
      const channel = await find(request)
      await record(request, 'test_channel', channel)
      return reply.code(202).send(await deliver(channel.id, await recordTestEvent(db, channel)))
    },
  )

  app.post(
    `${prefix}/:channel_id/deliveries/:delivery_id/replay`,
    {
      config,
      schema: {
        tags,
        operationId: `replay${noun}Delivery`,
        params: params.extend({ delivery_id: z.string() }),
        body: noBody,
        response: { 202: deliveryShape },
      },
    },
    async (request, reply) => {
      const channel = await find(request)
      const { delivery_id: id = '' } = request.params as { delivery_id?: string }
      const delivery = isId(id) ? await readDelivery(db, channel.id, id) : undefined
      if (!delivery) throw notFound('Delivery')
      if (!channel.enabled && delivery.event_type !== TEST_EVENT)
        throw new AppError('not_possible', 'the channel is disabled', { fix: 'Enable it first' })
      await record(request, 'replay_delivery', channel)
      await replayDelivery(db, delivery.id)
      return reply.code(202).send(await deliver(channel.id, delivery.id))
    },
  )
}

const deliveryQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'cursor should be the `next` of another response')
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})
