import type { Egress } from '../../connectors/egress/egress.ts'
import { requestedPauseMs } from './retry-delay.ts'
import { webhookHeaders } from './signature.ts'

const TIMEOUT_MS = 20_000

type WebhookRequest = { id: string; url: string; body: string; secrets: string[] }
type WebhookResponse = {
  status: number
  isDelivered: boolean
  isGone: boolean
  pauseMs: number | null
}

/** One attempt. Follows no redirect, since the address of a channel is its owner's choice. */
export async function sendWebhook(
  egress: Pick<Egress, 'request'>,
  { id, url, body, secrets }: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const { status, headers } = await egress.request(
    new URL(url),
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...webhookHeaders({ id, body, sentAt: new Date() }, secrets),
      },
      body,
      redirects: 'none',
      timeoutMs: TIMEOUT_MS,
      // The status is enough.
      discardBody: true,
    },
    signal,
  )
  return {
    status,
    isDelivered: status >= 200 && status < 300,
    isGone: status === 410,
    pauseMs: requestedPauseMs(headers.get('retry-after')),
  }
}
