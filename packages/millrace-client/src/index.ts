export { Millrace, type MillraceOptions } from './client.ts'
export { type InvalidField, MillraceError } from './errors.ts'
export {
  type EventOptions,
  eventsOf,
  type JobEnd,
  type JobEvent,
  type JobProgress,
  type ServerEvent,
} from './events.ts'
export type { JobDocument, WaitOptions } from './jobs.ts'
export type { BodyOf, CallOptions, OperationName, QueryOf, RequestOptions, ResponseOf } from './operations.ts'
export { collect } from './paging.ts'
export type { RetryOptions } from './retry.ts'
export type * from './schema.ts'
export type { DocumentElement, ReadDocument, SearchHit, SearchQuery, SearchResults } from './search.ts'
export type { Fetch, Send, SendOptions, TransportOptions } from './transport.ts'
export type { Delivery, Webhook } from './webhooks.ts'
