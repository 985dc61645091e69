import { problemEvents } from '../../service/problem-events.ts'
import type { ResponseOf } from '../../service/types.ts'

export type Feed = ResponseOf<'GET /api/v1/notifications'>
export type FeedEvent = Feed['events'][number]
export type Channels = ResponseOf<'GET /api/v1/notifications/channels'>
export type Channel = Channels['items'][number]
/** With the secret, if the service created it. */
export type ChangedChannel = ResponseOf<'POST /api/v1/notifications/channels'>
export type DeliveryPage = ResponseOf<'GET /api/v1/notifications/channels/{channel_id}/deliveries'>
export type Delivery = DeliveryPage['items'][number]

/** All that a webhook can receive, in the order of the form. */
export const eventTypes = [
  ...problemEvents,
  'job.completed',
  'job.stopped',
  'job.scheduled',
  'job.in_progress',
  'job.progress',
] as const
