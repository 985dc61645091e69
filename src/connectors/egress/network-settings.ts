import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts'
import { isLoopback, NoProxyError, parseNoProxy } from './no-proxy.ts'
import { authorityProblem, certificatesIn } from './pem.ts'
import type { EgressProxy } from './proxy.ts'

/** How this process reaches the network. */
export type NetworkSettings = {
  proxy: EgressProxy | null
  /** Roots to trust in addition to the default ones, in PEM. */
  certificates: string[]
}

/** Messages complete "NAME must be …", or begin with the name. */
export const networkVariables = {
  MILLRACE_EGRESS_PROXY: z.string().transform(toProxyUrl).optional(),
  NO_PROXY: z.string().optional(),
  MILLRACE_CA_FILE: z.string().transform(toCertificates).optional(),
}
type Values = z.infer<z.ZodObject<typeof networkVariables>>

/** Allowed hosts are reached directly, unless `NO_PROXY` says which hosts are. */
export function networkSettingsOf(values: Values, allowedHosts: readonly AllowedHost[]): NetworkSettings {
  const url = values.MILLRACE_EGRESS_PROXY
  return {
    proxy: url ? proxyOf(url, { noProxy: values.NO_PROXY, allowedHosts }) : null,
    certificates: values.MILLRACE_CA_FILE ?? [],
  }
}

/** Used by the command line; the service parses its whole environment at once. */
export function readNetwork(env: Record<string, string | undefined>): NetworkSettings {
  const names = Object.keys(networkVariables)
  const given = Object.fromEntries(names.map((name) => [name, env[name] || undefined]))
  const parsed = z.object(networkVariables).safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new AppError('invalid_request', `${String(issue?.path[0])} must be ${issue?.message}`)
  }
  try {
    return networkSettingsOf(parsed.data, [])
  } catch (error) {
    if (error instanceof NoProxyError) throw new AppError('invalid_request', error.message)
    throw error
  }
}

function proxyOf(
  url: URL,
  { noProxy, allowedHosts }: { noProxy: string | undefined; allowedHosts: readonly AllowedHost[] },
): EgressProxy {
  const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  const isListed =
    noProxy === undefined ? (target: URL) => isAllowedHost(allowedHosts, target) : parseNoProxy(noProxy)
  const pair = `${name}:${password}`
  return {
    url: new URL(url.origin),
    authorization: name || password ? `Basic ${Buffer.from(pair).toString('base64')}` : null,
    secrets: [password, pair].filter((secret) => secret !== '' && secret !== ':'),
    isDirect: (target) => isLoopback(target) || isListed(target),
  }
}

/** The value may hold a password, so messages never show it. */
function toProxyUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text)
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url && /^https?:$/.test(url.protocol) && isOrigin && isDecodable(url.username + url.password))
    return url
  context.addIssue(
    'an http(s) address without a path, such as http://user:password@proxy.example:3128; write special characters of the password in % escapes',
  )
  return z.NEVER
}

function toCertificates(path: string, context: z.RefinementCtx): string[] {
  try {
    const pem = readFileSync(path, 'utf8')
    const problem = authorityProblem(pem)
    if (!problem) return certificatesIn(pem) ?? []
    context.addIssue(`a file of certificates in PEM; ${path} ${problem}`)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    context.addIssue(`a file of certificates in PEM; ${path} ${why}`)
  }
  return z.NEVER
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
