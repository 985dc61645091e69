export type Settings = { url: URL; headers: Record<string, string> }

/** One line for the person who configures the client. */
export class SettingsError extends Error {}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { MILLRACE_URL: address, MILLRACE_TOKEN: token, MILLRACE_PERSON_TOKEN: personToken } = env
  if (!address) throw new SettingsError('MILLRACE_URL is not set; it is the address of Millrace')
  if (!token) throw new SettingsError('MILLRACE_TOKEN is not set; create a personal token on the web page')
  for (const [name, value] of Object.entries({ MILLRACE_TOKEN: token, MILLRACE_PERSON_TOKEN: personToken }))
    if (value && !/^[\x21-\x7e]+$/.test(value))
      throw new SettingsError(`${name} contains a space or a character that no token has`)
  return {
    url: endpoint(address),
    headers: {
      authorization: `Bearer ${token}`,
      ...(personToken ? { 'x-person-token': personToken } : {}),
    },
  }
}

/** Accepts the address of the service, with or without `/mcp`. */
function endpoint(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new SettingsError('MILLRACE_URL must be an http(s) address, such as https://millrace.example.com')
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new SettingsError(
      'MILLRACE_URL must begin with https:// because the token would be readable on the network',
    )
  if (!url.pathname.endsWith('/mcp')) url.pathname = `${url.pathname.replace(/\/$/, '')}/mcp`
  return url
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
