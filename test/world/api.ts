import { TEST_KEY } from './service.ts'

export type ApiResponse<T = unknown> = { status: number; body: T; text: string; headers: Headers }

/** The API by plain fetch, keeping every response. */
export type Api = {
  base: string
  get<T>(path: string): Promise<ApiResponse<T>>
  post<T>(path: string, body?: unknown): Promise<ApiResponse<T>>
  put<T>(path: string, body: unknown): Promise<ApiResponse<T>>
  delete<T>(path: string): Promise<ApiResponse<T>>
  answers: string[]
}

export function apiOf(url: string, key = TEST_KEY): Api {
  const base = `${url}/api/v1`
  const answers: string[] = []

  async function call<T>(method: string, path: string, body?: unknown): Promise<ApiResponse<T>> {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    answers.push(`${method} ${path} ${response.status} ${JSON.stringify([...response.headers])} ${text}`)
    return { status: response.status, body: parseBody(text) as T, text, headers: response.headers }
  }

  return {
    base,
    answers,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    delete: (path) => call('DELETE', path),
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
