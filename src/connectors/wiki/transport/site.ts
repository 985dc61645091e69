/**
 * Where a wiki is: under `/wiki` on Cloud, under `/ex/confluence/{id}/wiki` at the gateway, under any path on
 * Data Center. Links in responses start with the context, omit it, or are absolute.
 */
export type Site = {
  origin: string
  /** Before the context: empty, or the gateway's path. */
  prefix: string
  context: string
  /** Origin, prefix and context; API paths follow. */
  base: string
  /** The address for people, even if the API goes through the gateway. */
  home: string
  /** Lower-case host with port and path, unique per wiki. */
  name: string
}

export function cloudSite(address: string): Site {
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  const context = '/wiki'
  const prefix = path.replace(/\/wiki$/, '')
  const base = `${url.origin}${prefix}${context}`
  return { origin: url.origin, prefix, context, base, home: base, name: `${url.host.toLowerCase()}${prefix}` }
}

/** Scoped tokens need the gateway; name and page addresses stay. */
export function gatewaySite(site: Site, gateway: { origin: string; cloudId: string }): Site {
  const prefix = `/ex/confluence/${gateway.cloudId}`
  return { ...site, origin: gateway.origin, prefix, base: `${gateway.origin}${prefix}${site.context}` }
}

/** The gateway may respond with 404 if a token lacks a grant. */
export function isGateway({ prefix }: Site): boolean {
  return prefix !== ''
}

export function dataCenterSite(address: string): Site {
  const url = new URL(address)
  const context = url.pathname.replace(/\/+$/, '')
  const base = `${url.origin}${context}`
  const name = `${url.host.toLowerCase()}${context}`
  return { origin: url.origin, prefix: '', context, base, home: base, name }
}

/** Whether the host serves only Cloud sites, or the path is the gateway's. */
export function isHosted({ hostname, pathname }: URL): boolean {
  return /(^|\.)(atlassian\.net|jira\.com)$/i.test(hostname) || pathname.startsWith('/ex/confluence/')
}

/** A list repeats the parameter. */
export type UrlQuery = Record<string, string | string[]>

/** The URL of an API path. */
export function apiUrl(site: Site, path: string, query: UrlQuery = {}): URL {
  const url = new URL(`${site.base}${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) url.searchParams.append(name, each)
  }
  return url
}

/** The URL of a `next` link. Only path and query are used, so no response can send credentials elsewhere. */
export function urlOfLink(site: Site, link: string, current: URL): URL {
  if (link.startsWith('?')) return new URL(`${current.origin}${current.pathname}${link}`)
  const isAbsolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(link) || link.startsWith('//')
  const local = isAbsolute ? afterHost(link, site) : link
  const path = local.startsWith('/') ? local : `/${local}`
  const rest = stripPrefix(stripPrefix(path, site.prefix), site.context)
  return new URL(`${site.base}${rest}`)
}

function afterHost(link: string, site: Site): string {
  const url = URL.parse(link, site.origin)
  return url ? `${url.pathname}${url.search}` : '/'
}

function stripPrefix(path: string, start: string): string {
  if (start === '' || !path.startsWith(start)) return path
  return /^[/?]/.test(path.slice(start.length)) ? path.slice(start.length) : path
}
