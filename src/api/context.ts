import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Caller } from '../accounts/keys.ts'
import { AppError } from '../errors.ts'
import type { Connections } from '../jobs/connections.ts'
import type { Engine } from '../jobs/engine.ts'
import type { Resources } from '../jobs/resources.ts'
import type { Runs } from '../jobs/runs.ts'

/** What routes work with. */
export type ApiContext = { resources: Resources; engine: Engine; connections: Connections; runs: Runs }

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  ZodTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** The workspace comes from the credential, never from what a request says. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('unauthorized', 'this needs an API key')
  return request.caller
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A malformed id names nothing, just like one that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}
