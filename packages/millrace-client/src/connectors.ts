import type { BodyOf, CallOptions, QueryOf, Request } from './operations.ts'
import { pause } from './retry.ts'
import type { ConnectionCheck, Connector } from './schema.ts'

export type CheckOptions = CallOptions & { pollMs?: number | undefined }

const CHECK_POLL_MS = 500

/** Sources: the systems that documents come from. */
export function sourcesOf(request: Request) {
  const get = (id: string, options?: CallOptions): Promise<Connector> =>
    request('GET /api/v1/sources/{id}', { ...options, path: { id } })
  return {
    list: (query?: QueryOf<'GET /api/v1/sources'>, options?: CallOptions) =>
      request('GET /api/v1/sources', { ...options, query }),
    get,
    create: (body: BodyOf<'POST /api/v1/sources'>, options?: CallOptions) =>
      request('POST /api/v1/sources', { ...options, body }),
    update: (id: string, body: BodyOf<'PUT /api/v1/sources/{id}'>, options?: CallOptions) =>
      request('PUT /api/v1/sources/{id}', { ...options, path: { id }, body }),
    delete: (id: string, options?: CallOptions) =>
      request('DELETE /api/v1/sources/{id}', { ...options, path: { id } }),
    /** Starts a connection check and waits for its result. */
    check: (id: string, options?: CheckOptions) =>
      checkResult(options, {
        start: () => request('POST /api/v1/sources/{id}/connection-check', { ...options, path: { id } }),
        read: () => request('GET /api/v1/sources/{id}/connection-check', { ...options, path: { id } }),
      }),
  }
}

/** Destinations: the indexes that documents are written to. */
export function destinationsOf(request: Request) {
  return {
    list: (query?: QueryOf<'GET /api/v1/destinations'>, options?: CallOptions) =>
      request('GET /api/v1/destinations', { ...options, query }),
    get: (id: string, options?: CallOptions) =>
      request('GET /api/v1/destinations/{id}', { ...options, path: { id } }),
    create: (body: BodyOf<'POST /api/v1/destinations'>, options?: CallOptions) =>
      request('POST /api/v1/destinations', { ...options, body }),
    update: (id: string, body: BodyOf<'PUT /api/v1/destinations/{id}'>, options?: CallOptions) =>
      request('PUT /api/v1/destinations/{id}', { ...options, path: { id }, body }),
    delete: (id: string, options?: CallOptions) =>
      request('DELETE /api/v1/destinations/{id}', { ...options, path: { id } }),
    /** Starts a connection check and waits for its result. */
    check: (id: string, options?: CheckOptions) =>
      checkResult(options, {
        start: () => request('POST /api/v1/destinations/{id}/connection-check', { ...options, path: { id } }),
        read: () => request('GET /api/v1/destinations/{id}/connection-check', { ...options, path: { id } }),
      }),
  }
}

type Check = { start(): Promise<ConnectionCheck>; read(): Promise<ConnectionCheck> }

async function checkResult(
  { signal, pollMs }: CheckOptions = {},
  { start, read }: Check,
): Promise<ConnectionCheck> {
  let check = await start()
  while (check.status === 'SCHEDULED') {
    await pause(pollMs ?? CHECK_POLL_MS, signal)
    check = await read()
  }
  return check
}
