import type { z } from 'zod'
import type { channelShape, deliveryListShape, newChannelShape } from '../../../../src/api/shapes/channel.ts'
import type { feedShape } from '../../../../src/api/shapes/notification.ts'
import { problemEvents } from '../../service/problem-events.ts'

export type Feed = z.infer<typeof feedShape>
export type FeedEvent = Feed['events'][number]
export type Channel = z.infer<typeof channelShape>
/** With the secret, if the service created it. */
export type ChangedChannel = z.infer<typeof newChannelShape>
export type DeliveryPage = z.infer<typeof deliveryListShape>
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
export type EventType = (typeof eventTypes)[number]
