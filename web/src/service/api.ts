import { ApiError } from './errors.ts'

export type Query = Record<string, string | number | boolean | null | undefined>

export type Call = {
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
export async function call<T>(method: Method, path: string, options: Call = {}): Promise<T> {
  const response = await request(method, path, options)
  const text = await response.text()
  return (text ? parsed(text) : undefined) as T
}

/** The same, for text and streams. */
export async function request(method: Method, path: string, options: Call = {}): Promise<Response> {
  const { workspace, query, body, headers = {}, signal } = options
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      accept: 'application/json',
      // CSRF protection: other sites cannot send this header.
      'x-requested-with': 'millrace',
      ...(workspace ? { 'x-workspace': workspace } : {}),
      ...typeOf(body),
      ...headers,
    },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(path, 0, undefined)
  })
  if (!response.ok) throw new ApiError(path, response.status, parsed(await response.text()))
  return response
}

/** `/jobs/` becomes `/api/v1/jobs/`; empty query values are left out. */
export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  const base = path.startsWith('/api/') ? path : `/api/v1${path}`
  return search.size > 0 ? `${base}?${search}` : base
}

function typeOf(body: unknown): Record<string, string> {
  if (body === undefined) return {}
  return { 'content-type': body instanceof Blob ? 'application/octet-stream' : 'application/json' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
