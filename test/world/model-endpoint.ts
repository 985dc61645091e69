import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request: path, headers and body. */
export type ModelRequest = {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}
/** Replaces the endpoint's answer, or null for the default. */
export type Intercept = (asked: ModelRequest, count: number) => CannedResponse | null
export type CannedResponse = {
  status: number
  headers?: Record<string, string>
  body?: unknown
  never?: boolean
}

export type ModelEndpoint = {
  /** Without a path. */
  url: string
  asked: ModelRequest[]
  trouble: Intercept
  /** The answer to a prompt. */
  says(asked: ModelRequest): string
  /** The finish reason in the provider's words; default: a normal end. */
  ends: string | null
  close(): Promise<void>
}

export type EndpointOptions = {
  dims?: number
  /** The largest batch it accepts. */
  most?: number
  /** The longest text it accepts. */
  longest?: number
  /** Numbers even if base64 was requested, like some servers. */
  plainNumbers?: boolean
}

/** Answers on 127.0.0.1 like OpenAI, Azure, Anthropic, Bedrock, Voyage and Cohere. */
export async function startModelEndpoint(options: EndpointOptions = {}): Promise<ModelEndpoint> {
  const endpoint: ModelEndpoint = {
    url: '',
    asked: [],
    trouble: () => null,
    says: () => 'A description.',
    ends: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const body = JSON.parse((await textOf(request)) || '{}')
    const asked = { path: request.url ?? '', headers: request.headers, body }
    endpoint.asked.push(asked)
    const canned = endpoint.trouble(asked, endpoint.asked.length) ?? limits(asked, options)
    if (canned?.never) return
    if (canned) return send(response, canned)
    send(response, { status: 200, body: answerOf(asked, endpoint, options) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return endpoint
}

/** The vector of a text before normalisation. */
export function vectorFor(text: string, dims: number): number[] {
  const seed = createHash('sha256').update(text).digest()
  return Array.from({ length: dims }, (_, i) => (seed[i % 32]! - 127.5) * (1 + i / 32))
}

function limits(
  { body }: ModelRequest,
  { most = 2048, longest = 100_000 }: EndpointOptions,
): CannedResponse | null {
  const texts = textsIn(body)
  if (texts.length > most) return { status: 422, body: { error: 'batch size' } }
  if (texts.some((text) => text.length > longest)) return { status: 400, body: { error: 'too long' } }
  return null
}

function textsIn(body: Record<string, unknown>): string[] {
  const texts = body.input ?? body.texts ?? body.inputText ?? []
  return Array.isArray(texts) ? texts.map(String) : [String(texts)]
}

function answerOf(asked: ModelRequest, endpoint: ModelEndpoint, { dims = 8, plainNumbers }: EndpointOptions) {
  const { path, body } = asked
  const width = Number(body.dimensions ?? body.output_dimension ?? dims)
  const vectors = textsIn(body).map((text) => vectorFor(text, width))
  if (path.endsWith('/v2/embed')) return { id: 'x', embeddings: { float: vectors }, texts: body.texts }
  if (path.endsWith('/invoke')) return body.texts ? { embeddings: vectors } : { embedding: vectors[0] }
  if (path.includes('/embeddings')) {
    const encode = (vector: number[]) =>
      body.encoding_format === 'base64' && !plainNumbers
        ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
        : vector
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }))
    // Out of order, which is allowed: each has its index.
    return { object: 'list', data: data.reverse(), model: body.model, usage: { total_tokens: 1 } }
  }
  const text = endpoint.says(asked)
  if (path.endsWith('/messages')) {
    const content = [{ type: 'text', text }]
    return {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content,
      stop_reason: endpoint.ends ?? 'end_turn',
    }
  }
  if (path.endsWith('/converse')) {
    return {
      output: { message: { role: 'assistant', content: [{ text }] } },
      stopReason: endpoint.ends ?? 'end_turn',
    }
  }
  const message = { role: 'assistant', content: text }
  const finish_reason = endpoint.ends ?? 'stop'
  return { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }
}

function send(response: ServerResponse, { status, headers = {}, body = {} }: CannedResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const part of request) text += part
  return text
}
