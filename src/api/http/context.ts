import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Identity } from '../../accounts/identity.ts'
import type { Keys } from '../../accounts/keys.ts'
import type { AllowedCaller, Caller, Person } from '../../accounts/roles.ts'
import { AppError } from '../../errors.ts'
import type { AnyConnections } from '../../jobs/connections.ts'
import type { TaskQueue } from '../../jobs/queue/engine.ts'
import type { Resources } from '../../jobs/resources.ts'
import type { JobRuns } from '../../jobs/runs.ts'
import type { SearchContext } from '../../search/context.ts'
import type { SearchCaller } from '../../search/search-person.ts'
import type { LimitCounts } from '../../store/counts/counts.ts'
import type { ExpensiveReads } from './expensive-reads.ts'
import type { Uploads } from './forms/uploads.ts'

export type ApiContext = SearchContext & {
  connections: AnyConnections
  engine: TaskQueue
  runs: JobRuns
  uploads: Uploads
  reads: ExpensiveReads
}

/** What the service operator allows at most. */
export type AccountLimits = { maxKeys: number; maxWorkspaces: number }

export type AccountsContext = {
  resources: Resources
  identity: Identity
  keys: Keys
  limits: AccountLimits
  counts: LimitCounts
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  ZodTypeProvider
>

/** Who may call a route, and with which API keys: none, full ones, or search keys too. */
export type RouteDeclaration = { allows: AllowedCaller; keys: boolean | 'search' }

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts in which workspace; null on routes without one. */
    caller: Caller | null
    /** The signed-in person; null for keys and visitors. */
    person: Person | null
  }
  interface FastifyContextConfig extends Partial<RouteDeclaration> {}
  interface FastifyInstance {
    /** The declarations of all routes under /api/v1, in order. */
    declarations: (RouteDeclaration & { method: string; url: string })[]
    /** Addresses under which people reach the service. */
    publicUrls: readonly URL[]
  }
}

/** The workspace comes from the key or from a verified membership, never from the request alone. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('unauthorized', 'this needs an API key')
  return request.caller
}

/** For searches: the caller, and the person that a header names. */
export function searchCallerOf(request: FastifyRequest): SearchCaller {
  const token = request.headers['x-person-token']
  return { caller: callerOf(request), token: Array.isArray(token) ? token[0] : token }
}

export function personOf(request: FastifyRequest): Person {
  if (!request.person) throw new AppError('unauthorized', 'sign in to do this')
  return request.person
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A malformed id counts as unknown. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** Path parameters of the routes of one resource. */
export const idParams = z.object({ id: z.string() })
