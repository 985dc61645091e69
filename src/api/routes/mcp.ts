import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, explain } from '../../errors.ts'
import { REQUEST_TIMED_OUT, UNEXPECTED } from '../../mcp/texts.ts'
import type { SearchBackends } from '../../search/search-backends.ts'
import type { BoundPerson, SearchPeople } from '../../search/search-person.ts'
import { keyOf } from '../http/authentication.ts'
import { type App, callerOf, searchCallerOf } from '../http/context.ts'
import { requireKnownHost } from '../http/known-hosts.ts'

/** Search for assistants, over the Model Context Protocol. */
type McpRoutes = {
  people: SearchPeople
  backends: SearchBackends
  publicHosts: string[]
  /** Adds authentication and the limit; called after the checks that come first. */
  guard(limitedBy: (request: FastifyRequest) => Promise<string>): Promise<void>
}

// A search with its filters is small.
const BODY_BYTES = 64 * 1024

export async function mcpRoutes(
  app: App,
  { people, backends, publicHosts, guard }: McpRoutes,
): Promise<void> {
  const persons = new WeakMap<FastifyRequest, BoundPerson | { error: unknown }>()

  app.addHook('onRequest', async (request) => {
    requireKnownHost(request, publicHosts)
    requireToken(request)
  })
  await guard(async (request) => {
    const { workspaceId, actor } = callerOf(request)
    try {
      const person = await boundPerson(people, request)
      persons.set(request, person)
      return `${workspaceId} ${person.name}`
    } catch (error) {
      persons.set(request, { error })
      return actor
    }
  })
  app.addHook('preSerialization', async (request, reply, payload) => rpcError(request, reply, payload))
  // The handler parses, because the protocol has its own error for text that is not JSON.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
    done(null, text),
  )

  app.post(
    '/mcp',
    { config: { allows: 'reader', keys: 'search' }, schema: { hide: true }, bodyLimit: BODY_BYTES },
    async (request, reply) => {
      const person = persons.get(request)
      if (!person || 'error' in person) throw person?.error
      const text = typeof request.body === 'string' ? request.body : ''
      refuseBatch(text)
      const logError = (err: unknown) =>
        request.log.error({ err, request_id: request.id }, 'a request of an assistant failed')
      const errorText = (error: unknown) => {
        const known = textOf(error)
        if (known === null) logError(error)
        return known ?? UNEXPECTED
      }
      const backend = backends.of(callerOf(request), person)
      // Loaded late: most services never need it, and it takes 30 MB.
      const { answerMcp } = await import('../../mcp/handler.ts')
      const answer = await answerMcp(webRequest(request, reply, text), backend, errorText)
      if (answer.response.status >= 500) logError(answer.error)
      return reply.send(answer.response)
    },
  )
}

/** Null for an unexpected error. */
function textOf(error: unknown): string | null {
  if (error instanceof AppError) return explain(error).message
  const name = error instanceof Error ? error.name : ''
  return name === 'TimeoutError' || name === 'AbortError' ? REQUEST_TIMED_OUT : null
}

/** A session would let any page of this origin search; assistants send a token. */
function requireToken(request: FastifyRequest): void {
  if (keyOf(request)) return
  throw new AppError('unauthorized', 'a token is needed', {
    fix: 'Send Authorization: Bearer with a personal token, or with a search key and the header X-Person-Token',
  })
}

async function boundPerson(people: SearchPeople, request: FastifyRequest): Promise<BoundPerson> {
  const { search } = callerOf(request)
  if (!search?.personId && request.headers['x-person-token'] === undefined) {
    throw new AppError('forbidden', 'this key names no person', {
      fix: 'Use a personal token, or send the header X-Person-Token with the key',
    })
  }

  const person = await people.personOf(searchCallerOf(request), {
    as: undefined,
    at: ['headers', 'X-Person-Token'],
  })
  if (person.kind !== 'bound') throw new AppError('forbidden', 'this key names no person')
  return person
}

/** Later revisions have none, and one would pass the rate limit as a single request. */
function refuseBatch(text: string): void {
  if (/^\s*\[/.test(text)) throw new AppError('invalid_request', 'batches are not accepted; send one message')
}

function webRequest({ headers }: FastifyRequest, reply: FastifyReply, body: string): Request {
  const disconnected = new AbortController()
  reply.raw.once('close', () => disconnected.abort())
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && FORWARDED.test(entry[0]),
  )
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: kept,
    body,
    signal: disconnected.signal,
  })
}

/** Credentials stay out of the backend. */
const FORWARDED = /^(accept|content-type|mcp-[a-z-]+)$/

type Problem = { detail: string | { msg: string }[]; code?: string }

/** The error of a request that did not reach the protocol, in the protocol's form. */
function rpcError({ caller }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { statusCode: status } = reply
  if (status < 400 || typeof payload !== 'object' || payload === null || !('detail' in payload))
    return payload
  const { detail, code = 'invalid_request' } = payload as Problem
  const message = typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ')
  if (status === 422) reply.code(400)
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="millrace", error="invalid_token"')
  // A key without a person; a foreign host or origin gets no challenge.
  if (status === 403 && caller)
    reply.header('www-authenticate', 'Bearer realm="millrace", error="insufficient_scope"')
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: status === 422 ? -32600 : -32000, message, data: { code } },
  }
}
