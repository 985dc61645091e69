import type { BodyOf, CallOptions, Request, ResponseOf } from './operations.ts'
import { byCursor } from './paging.ts'

type NewWebhook = Omit<
  Extract<BodyOf<'POST /api/v1/notifications/channels'>, { url: string }>,
  'channel_type'
>
export type Webhook = ResponseOf<'GET /api/v1/notifications/channels/{channel_id}'>
export type Delivery =
  ResponseOf<'GET /api/v1/notifications/channels/{channel_id}/deliveries'>['items'][number]

/** Webhooks of the workspace. */
export function webhooksOf(request: Request) {
  return {
    list: async (options?: CallOptions): Promise<Webhook[]> =>
      (
        await request('GET /api/v1/notifications/channels', {
          ...options,
          query: { channel_type: 'webhook' },
        })
      ).items,
    get: (id: string, options?: CallOptions): Promise<Webhook> =>
      request('GET /api/v1/notifications/channels/{channel_id}', { ...options, path: { channel_id: id } }),
    /** Without a secret, the response has a new one, once. */
    create: (webhook: NewWebhook, options?: CallOptions) =>
      request('POST /api/v1/notifications/channels', {
        ...options,
        body: { ...webhook, channel_type: 'webhook' },
      }),
    update: (
      id: string,
      body: BodyOf<'PATCH /api/v1/notifications/channels/{channel_id}'>,
      options?: CallOptions,
    ) =>
      request('PATCH /api/v1/notifications/channels/{channel_id}', {
        ...options,
        path: { channel_id: id },
        body,
      }),
    delete: (id: string, options?: CallOptions) =>
      request('DELETE /api/v1/notifications/channels/{channel_id}', { ...options, path: { channel_id: id } }),
    /** Sends a test event. */
    test: (id: string, options?: CallOptions) =>
      request('POST /api/v1/notifications/channels/{channel_id}/test', {
        ...options,
        path: { channel_id: id },
      }),
    /** All pages, one after the other. */
    deliveries: (id: string, options?: CallOptions): AsyncGenerator<Delivery> =>
      byCursor((cursor) =>
        request('GET /api/v1/notifications/channels/{channel_id}/deliveries', {
          ...options,
          path: { channel_id: id },
          query: { cursor },
        }),
      ),
    /** Repeats a delivery. */
    replay: (id: string, deliveryId: string, options?: CallOptions) =>
      request('POST /api/v1/notifications/channels/{channel_id}/deliveries/{delivery_id}/replay', {
        ...options,
        path: { channel_id: id, delivery_id: deliveryId },
      }),
  }
}
