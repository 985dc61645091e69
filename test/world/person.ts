import type { Answer } from './api.ts'
import type { Millrace } from './service.ts'

/** A person with a browser: keeps cookies, and sends the page's headers. */
export type PersonAtPage = {
  /** The workspace of later calls. */
  workspace: string | null
  cookies: Map<string, string>
  call<T>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>
  get<T>(path: string): Promise<Answer<T>>
  post<T>(path: string, body?: unknown): Promise<Answer<T>>
  put<T>(path: string, body: unknown): Promise<Answer<T>>
  patch<T>(path: string, body: unknown): Promise<Answer<T>>
  delete<T>(path: string): Promise<Answer<T>>
  signIn(email: string, password: string): Promise<Answer<{ user: { id: string } }>>
}

/** A header of null is left out. */
export type CallOptions = { body?: unknown; headers?: Record<string, string | null> }

export type Session = {
  user: { id: string; email: string; name: string }
  tier: string
  organisation: { id: string; name: string } | null
  is_organisation_administrator: boolean
  workspaces: { id: string; name: string; role: string }[]
}

export const PASSWORD = 'correct horse battery'

export function personAt(url: string): PersonAtPage {
  const cookies = new Map<string, string>()

  /** `/x` is short for `/api/v1/x`. */
  async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    const { body } = options
    const sent: Record<string, string | null> = {
      origin: method === 'GET' ? null : new URL(url).origin,
      'x-requested-with': 'millrace',
      'x-workspace': person.workspace,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
      'content-type': body === undefined ? null : 'application/json',
      ...options.headers,
    }
    const headers = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)
    const response = await fetch(url + (/^\/(api|general)\//.test(path) ? path : `/api/v1${path}`), {
      method,
      redirect: 'manual',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) keep(cookie)
    const text = await response.text()
    return { status: response.status, body: parsed(text) as T, text, headers: response.headers }
  }

  function keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '' || /max-age=0\b/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  const person: PersonAtPage = {
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
): Promise<{ ada: PersonAtPage; workspace: string; session: Session }> {
  const ada = personAt(millrace.url ?? '')
  const made = await ada.post<Session>('/setup', {
    token: await printed(millrace),
    email: 'ada@acme.example',
    name: 'Ada',
    password: PASSWORD,
    tier: 'business',
    organisation: 'Acme',
  })
  if (made.status !== 201) throw new Error(`setting up: ${made.text}`)
  const workspace = made.body.workspaces[0]?.id ?? ''
  ada.workspace = workspace
  return { ada, workspace, session: made.body }
}

/** The service prints the link right after it is ready. */
export async function printed(millrace: Millrace): Promise<string> {
  for (let token = setupToken(millrace); ; token = setupToken(millrace)) {
    if (token) return token
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A new person who has accepted an invitation with a role. */
export async function joined(
  by: PersonAtPage,
  url: string,
  { email, role, workspace }: { email: string; role: string; workspace: string },
): Promise<PersonAtPage> {
  const invited = await by.post<{ link: string }>(`/workspaces/${workspace}/invitations`, { email, role })
  if (invited.status !== 201) throw new Error(`inviting ${email}: ${invited.text}`)
  const person = personAt(url)
  const token = invited.body.link.split('/').at(-1)
  const accepted = await person.post(`/invitations/${token}/accept`, { name: email, password: PASSWORD })
  if (accepted.status !== 200) throw new Error(`accepting as ${email}: ${accepted.text}`)
  person.workspace = workspace
  return person
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
