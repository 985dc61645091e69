import type { ApiResponse } from './api.ts'
import type { Millrace } from './service.ts'

/** An API client with the cookies and headers of a browser. */
export type PageClient = {
  /** The workspace of later calls. */
  workspace: string | null
  cookies: Map<string, string>
  call<T>(method: string, path: string, options?: CallOptions): Promise<ApiResponse<T>>
  get<T>(path: string): Promise<ApiResponse<T>>
  post<T>(path: string, body?: unknown): Promise<ApiResponse<T>>
  put<T>(path: string, body: unknown): Promise<ApiResponse<T>>
  patch<T>(path: string, body: unknown): Promise<ApiResponse<T>>
  delete<T>(path: string): Promise<ApiResponse<T>>
  signIn(email: string, password: string): Promise<ApiResponse<{ user: { id: string } }>>
}

/** A header of null is left out. */
export type CallOptions = {
  body?: unknown
  /** Sent unchanged. */
  raw?: { type: string; text: string }
  headers?: Record<string, string | null>
}

export type Session = {
  user: { id: string; email: string; name: string }
  tier: string
  organisation: { id: string; name: string } | null
  is_organisation_administrator: boolean
  workspaces: { id: string; name: string; role: string }[]
}

export const PASSWORD = 'correct horse battery'

export function openPageClient(url: string): PageClient {
  const cookies = new Map<string, string>()

  /** `/x` is short for `/api/v1/x`. */
  async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse<T>> {
    const { body, raw } = options
    const sent: Record<string, string | null> = {
      origin: method === 'GET' ? null : new URL(url).origin,
      'x-requested-with': 'millrace',
      'x-workspace': person.workspace,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
      'content-type': raw?.type ?? (body === undefined ? null : 'application/json'),
      ...options.headers,
    }
    const headers = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)
    const response = await fetch(url + (/^\/(api|general)\//.test(path) ? path : `/api/v1${path}`), {
      method,
      redirect: 'manual',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(raw ? { body: raw.text } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) storeCookie(cookie)
    const text = await response.text()
    return { status: response.status, body: parseBody(text) as T, text, headers: response.headers }
  }

  function storeCookie(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '' || /max-age=0\b/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  const person: PageClient = {
    workspace: null,
    cookies,
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, { body }),
    put: (path, body) => call('PUT', path, { body }),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path) => call('DELETE', path),
    signIn: (email, password) => call('POST', '/api/auth/sign-in/email', { body: { email, password } }),
  }
  return person
}

/** The link that a service without people prints. */
export function setupToken({ lines }: Millrace): string {
  const line = lines.findLast((each) => each.includes('setup_url')) ?? '{"setup_url":"http://none/"}'
  const { setup_url } = JSON.parse(line) as { setup_url: string }
  return new URL(setup_url).searchParams.get('token') ?? ''
}

/** The first person of a business account, with its first workspace chosen. */
export async function firstAdministrator(
  millrace: Millrace,
): Promise<{ ada: PageClient; workspace: string; session: Session }> {
  const ada = openPageClient(millrace.url ?? '')
  const created = await ada.post<Session>('/setup', {
    token: await waitForSetupToken(millrace),
    email: 'ada@acme.example',
    name: 'Ada',
    password: PASSWORD,
    tier: 'business',
    organisation: 'Acme',
  })
  if (created.status !== 201) throw new Error(`setting up: ${created.text}`)
  const workspace = created.body.workspaces[0]?.id ?? ''
  ada.workspace = workspace
  return { ada, workspace, session: created.body }
}

/** The service prints the link right after it is ready. */
export async function waitForSetupToken(millrace: Millrace): Promise<string> {
  for (let token = setupToken(millrace); ; token = setupToken(millrace)) {
    if (token) return token
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A new person who has accepted an invitation with a role. */
export async function joinWorkspace(
  by: PageClient,
  url: string,
  { email, role, workspace }: { email: string; role: string; workspace: string },
): Promise<PageClient> {
  const invited = await by.post<{ link: string }>(`/workspaces/${workspace}/invitations`, { email, role })
  if (invited.status !== 201) throw new Error(`inviting ${email}: ${invited.text}`)
  const person = openPageClient(url)
  const token = invited.body.link.split('/').at(-1)
  const accepted = await person.post(`/invitations/${token}/accept`, { name: email, password: PASSWORD })
  if (accepted.status !== 200) throw new Error(`accepting as ${email}: ${accepted.text}`)
  person.workspace = workspace
  return person
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
