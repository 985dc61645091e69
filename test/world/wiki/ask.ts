import { type AccountName, accounts } from './accounts.ts'

/** Plain requests for tests of the simulated wiki: fetch without interpretation. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The body if it is JSON; tests read it as they expect it to be. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever shape came back.
  json: any
}

export async function fetchReply(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

export const basic = (user: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
})

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** Sends a request to the Cloud site with an account's classic token. */
export const requestCloud =
  (cloudUrl: string) =>
  (path: string, as: AccountName = 'crawler', init: RequestInit = {}): Promise<Reply> =>
    fetchReply(`${cloudUrl}${path}`, {
      ...init,
      headers: { ...basic(accounts[as].email, accounts[as].apiToken), ...init.headers },
    })

/** Sends a request to Data Center with an account's personal access token. */
export const requestDataCenter =
  (url: string) =>
  (path: string, as: AccountName = 'crawler', init: RequestInit = {}): Promise<Reply> =>
    fetchReply(`${url}${path}`, { ...init, headers: { ...bearer(accounts[as].pat), ...init.headers } })

export const cqlPath = (cql: string, rest = ''): string =>
  `/rest/api/content/search?cql=${encodeURIComponent(cql)}${rest}`

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
