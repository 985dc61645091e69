import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Identity } from '../accounts/identity.ts'
import type { Keys } from '../accounts/keys.ts'
import type { Allows, Caller, Person } from '../accounts/roles.ts'
import { AppError } from '../errors.ts'
import type { Connections } from '../jobs/connections.ts'
import type { TaskQueue } from '../jobs/engine.ts'
import type { Resources } from '../jobs/resources.ts'
import type { JobRuns } from '../jobs/runs.ts'

/** What routes work with. */
export type ApiContext = { resources: Resources; engine: TaskQueue; connections: Connections; runs: JobRuns }

/** What the routes of accounts work with beside it. */
export type AccountsContext = { resources: Resources; identity: Identity; keys: Keys }

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  ZodTypeProvider
>

/** Who may call a route, and whether an API key may; every route under /api/v1 says so. */
export type Declaration = { allows: Allows; keys: boolean }

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts in which workspace; null on routes that belong to none. */
    caller: Caller | null
    /** Who is signed in; null where a key calls, or nobody. */
    person: Person | null
  }
  interface FastifyContextConfig extends Partial<Declaration> {}
  interface FastifyInstance {
    /** What every route under /api/v1 declares, in the order they were added. */
    declarations: (Declaration & { method: string; url: string })[]
  }
}

/** The workspace comes from the key, or from the memberships of who is signed in; a request only chooses one. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('unauthorized', 'this needs an API key')
  return request.caller
}

export function personOf(request: FastifyRequest): Person {
  if (!request.person) throw new AppError('unauthorized', 'this needs somebody who is signed in')
  return request.person
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A malformed id names nothing, just like one that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}
