import { z } from 'zod'
import type { ChannelRow } from '../../store/notifications/channels.ts'
import type { DeliveryRow } from '../../store/notifications/deliveries.ts'
import { EVENT_TYPES } from '../../store/notifications/events.ts'
import { listQuery } from '../http/list-page.ts'
import { BOOLEAN_WORDS } from './rules.ts'

const eventTypes = z.array(z.enum(EVENT_TYPES)).min(1).max(EVENT_TYPES.length)
const url = z.string().max(2048).describe('https, or http for a host that the service operator allows')
const description = z.string().max(255).nullish()

const webhookBody = z.strictObject({
  channel_type: z.literal('webhook'),
  event_types: eventTypes,
  url,
  description,
  enabled: z.boolean().nullish().describe('Default: true'),
  secret: z
    .string()
    .max(200)
    .nullish()
    .describe('`whsec_` and the base64 of 24 to 75 bytes; without it, the response shows a new one once'),
})

/** Accepted as the platform API describes it, and refused with one clear error. */
const emailBody = z.strictObject({
  channel_type: z.literal('email'),
  event_types: eventTypes,
  email_config: z.strictObject({
    recipient_email: z.string().max(320),
    cc: z.array(z.string().max(320)).max(50).nullish(),
    reply_to: z.string().max(320).nullish(),
  }),
  enabled: z.boolean().nullish(),
})

export const channelBody = z.discriminatedUnion('channel_type', [webhookBody, emailBody])

export const channelChange = z.strictObject({
  channel_type: z.literal('webhook', { error: 'channel_type cannot change' }).optional(),
  event_types: eventTypes.optional(),
  url: url.optional(),
  description,
  enabled: z.boolean().nullish(),
  secret: z.string().max(200).nullish().describe('Empty for a new one, which the response shows once'),
})

export const verificationBody = z.strictObject({
  code: z.string().regex(/^\d{6}$/, 'code should have six digits'),
})

export const channelQuery = z.strictObject({
  channel_type: z.enum(['webhook', 'email']),
  enabled: z.stringbool().meta(BOOLEAN_WORDS).optional(),
  ...listQuery,
})

export const channelShape = z.object({
  id: z.string(),
  channel_type: z.literal('webhook'),
  event_types: z.array(z.string()),
  enabled: z.boolean(),
  url: z.string(),
  description: z.string().nullable(),
  workflow_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  disabled_reason: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe('Why the service disabled it: the receiver responded with 410, or failed for five days'),
  failing_since: z.string().nullable().describe('The first failure after the last success'),
})
export const newChannelShape = channelShape.extend({
  secret: z.string().optional().describe('Only right after the service created it'),
})
export const channelListShape = z.object({ items: z.array(channelShape) })

export const deliveryShape = z.object({
  id: z.string().describe('Sent as webhook-id'),
  event_type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.number(),
  response_status: z.number().nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
  last_attempt_at: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
})
export const deliveryListShape = z.object({ items: z.array(deliveryShape), next: z.string().nullable() })

export function toChannel(row: ChannelRow): z.infer<typeof channelShape> {
  return {
    id: row.id,
    channel_type: 'webhook',
    event_types: row.event_types,
    enabled: row.enabled,
    url: row.url,
    description: row.description,
    workflow_id: row.workflow_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
  }
}

export function toDelivery(row: DeliveryRow): z.infer<typeof deliveryShape> {
  return {
    id: row.id,
    event_type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  }
}
