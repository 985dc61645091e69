import { MillraceError } from '../../../packages/millrace-client/src/errors.ts'
import {
  createTransport,
  parse,
  addressOf as withQuery,
} from '../../../packages/millrace-client/src/transport.ts'
import { shellTexts } from '../texts/shell.ts'
import { basePath } from './base-path.ts'
import { isAwayError, markAnswered, markAway } from './connection.ts'
import { isSignedIn, signedInAgain, timesResumed } from './ended-session.ts'
import { ApiError } from './errors.ts'

export type Query = Record<string, string | number | boolean | null | undefined>

export type CallOptions = {
  /** Sent as X-Workspace, where the route needs it. */
  workspace?: string | undefined
  query?: Query | undefined
  /** Sent as JSON, or unchanged if a Blob. */
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Calls the service and returns its JSON, or throws an ApiError. */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const response = await request(method, path, options)
  const text = await response.text()
  return (text ? parse(text) : undefined) as T
}

/** The entries of all pages of a list. */
export async function callAll<T>(path: string, options: CallOptions = {}): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const query: Query = { ...options.query, ...(cursor === null ? {} : { cursor }) }
    const response = await request('GET', path, { ...options, query })
    all.push(...(parse(await response.text()) as T[]))
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
  return all
}

/** The same, for text and streams. After the end of a session it waits for the next one and repeats the request. */
export async function request(method: Method, path: string, options: CallOptions = {}): Promise<Response> {
  const before = timesResumed()
  try {
    return await attempt(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401 || !needsSession(path)) throw error
    if (timesResumed() === before) await signedInAgain()
    options.signal?.throwIfAborted()
    return attempt(method, path, options)
  }
}

async function attempt(method: Method, path: string, options: CallOptions): Promise<Response> {
  const { workspace, query, body, headers, signal } = options
  try {
    const response = await send(method, pathOf(path), {
      query,
      body,
      signal,
      headers: { ...(workspace ? { 'x-workspace': workspace } : {}), ...headers },
    })
    markAnswered()
    return response
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error
    const failure = new ApiError(path, error.status, error.body)
    if (!isAwayError(failure)) {
      markAnswered()
      throw failure
    }
    markAway()
    // The change may have happened before the connection broke.
    throw method === 'GET' || READS.test(path)
      ? failure
      : new ApiError(path, failure.status, { detail: shellTexts.away.unconfirmed })
  }
}

// They have a body, but change nothing.
const READS = /\/(compare|explain|search|names|native-query|options|estimate|preview|elements)$/

/** A wrong password is also a 401, and an invitation works signed out. */
function needsSession(path: string): boolean {
  return isSignedIn() && !path.startsWith('/api/auth/') && path !== '/session'
}

/** `/jobs/` becomes `/api/v1/jobs/`; empty query values are left out. */
export function addressOf(path: string, query: Query = {}): string {
  return withQuery(basePath, pathOf(path), query)
}

const send = createTransport({
  url: basePath,
  credentials: 'same-origin',
  // CSRF protection: other sites cannot send this header.
  headers: { 'x-requested-with': 'millrace' },
  // Queries have retries of their own.
  retry: { retries: 0 },
})

function pathOf(path: string): string {
  return path.startsWith('/api/') ? path : `/api/v1${path}`
}
