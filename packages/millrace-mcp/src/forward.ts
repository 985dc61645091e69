import { errorFor, headersOf, type Message } from './message.ts'
import type { Settings } from './settings.ts'

// Millrace ends a search after 30 s.
const TIMEOUT_MS = 60_000

/** Sends messages of one client to Millrace; `send` receives the responses. */
export function createForwarder({ url, headers }: Settings, send: (message: Message) => void) {
  const running = new Map<unknown, AbortController>()
  let negotiated: string | null = null

  async function forward(message: Message): Promise<void> {
    const isRequest = message.method !== undefined && message.id !== undefined
    if (message.method === 'notifications/cancelled') return running.get(message.params?.requestId)?.abort()
    const cancelled = new AbortController()
    if (isRequest) running.set(message.id, cancelled)
    try {
      const response = await fetch(url, {
        method: 'POST',
        // A redirect could carry the token to another host.
        redirect: 'error',
        headers: {
          ...headers,
          ...headersOf(message, negotiated),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([cancelled.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const received = messagesIn(await response.text(), response.headers.get('content-type') ?? '')
      if (!isRequest) return
      const answers = received.filter((each) => each.error === undefined || each.id === message.id)
      for (const each of answers) {
        if (message.method === 'initialize') negotiated = versionIn(each) ?? negotiated
        send(each)
      }
      if (answers.length === 0) send(errorFor(message, refusal(response, received[0])))
    } catch (error) {
      if (isRequest && !cancelled.signal.aborted) send(errorFor(message, `${url.origin}: ${reasonOf(error)}`))
    } finally {
      running.delete(message.id)
    }
  }

  return {
    forward,
    close() {
      for (const each of running.values()) each.abort()
    },
  }
}

/** A JSON body is one message; an event stream has one per event. */
function messagesIn(body: string, contentType: string): Message[] {
  const texts = contentType.startsWith('text/event-stream') ? eventData(body) : [body]
  return texts.flatMap((text) => {
    try {
      const parsed = JSON.parse(text)
      return typeof parsed === 'object' && parsed !== null && parsed.jsonrpc === '2.0'
        ? [parsed as Message]
        : []
    } catch {
      return []
    }
  })
}

function eventData(stream: string): string[] {
  return stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
    return lines.length > 0 ? [lines.map((line) => line.slice('data:'.length).trim()).join('\n')] : []
  })
}

function versionIn({ result }: Message): string | null {
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : null
}

function refusal(response: Response, received: Message | undefined): string {
  const wait = response.headers.get('retry-after')
  const reason = received?.error?.message ?? `Millrace responded with status ${response.status}`
  return wait ? `${reason}; try again in ${wait} s` : reason
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  if (error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
