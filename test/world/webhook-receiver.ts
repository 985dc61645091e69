import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedWebhook = { path: string; headers: Record<string, string>; body: string }
export type ReceiverResponse =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Never responds. */
  | 'hang'

/** A server of a customer that receives webhooks. */
export type WebhookReceiver = {
  url: string
  received: ReceivedWebhook[]
  respond(webhook: ReceivedWebhook): ReceiverResponse | Promise<ReceiverResponse>
  close(): Promise<void>
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const webhook = {
      path: request.url ?? '',
      headers: textHeaders(request.headers),
      body: Buffer.concat(chunks).toString(),
    }
    receiver.received.push(webhook)
    const answer = await receiver.respond(webhook)
    if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    respond: () => ({ status: 204 }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

function textHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
