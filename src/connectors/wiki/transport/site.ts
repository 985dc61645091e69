/**
 * Where a wiki is. On Cloud everything lies under `/wiki`, behind a gateway under `/ex/confluence/{id}/wiki`; on
 * Data Center under any path or none, which is kept as it is, `/wiki` included;
 * links in answers come with that context, without it, or as a whole address, depending on the endpoint.
 */
export type Site = {
  origin: string
  /** What lies before the context: empty, or the gateway's path. */
  prefix: string
  context: string
  /** Origin, prefix and context: what API paths are put behind. */
  base: string
  /** The same as people open it, whichever way the API is reached. */
  home: string
  /** Lower-case host with any unusual port, and what makes it another wiki than others on that host. */
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

/** The same wiki through the gateway, which is all that scoped tokens open. Its name and its pages' addresses stay. */
export function gatewaySite(site: Site, gateway: { origin: string; cloudId: string }): Site {
  const prefix = `/ex/confluence/${gateway.cloudId}`
  return { ...site, origin: gateway.origin, prefix, base: `${gateway.origin}${prefix}${site.context}` }
}

/** Whether requests go through the gateway, which may answer "not found" where a token lacks a scope. */
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

/** Names under which there is nothing but Cloud sites, and the path of the gateway. */
export function isHosted({ hostname, pathname }: URL): boolean {
  return /(^|\.)(atlassian\.net|jira\.com)$/i.test(hostname) || pathname.startsWith('/ex/confluence/')
}

/** A list stands for a name that is given several times. */
export type UrlQuery = Record<string, string | string[]>

/** An address inside the wiki for a path of its API. */
export function urlInside(site: Site, path: string, query: UrlQuery = {}): URL {
  const url = new URL(`${site.base}${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) url.searchParams.append(name, each)
  }
  return url
}

/**
 * The address of a `next` link, with the context joined once. It always stays on the wiki: of a whole address
 * only path and query are taken, so that no answer can send the credentials elsewhere.
 */
export function urlOfLink(site: Site, link: string, current: URL): URL {
  if (link.startsWith('?')) return new URL(`${current.origin}${current.pathname}${link}`)
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(link) || link.startsWith('//')
  const local = whole ? afterHost(link, site) : link
  const path = local.startsWith('/') ? local : `/${local}`
  const rest = strip(strip(path, site.prefix), site.context)
  return new URL(`${site.base}${rest}`)
}

function afterHost(link: string, site: Site): string {
  const url = URL.parse(link, site.origin)
  return url ? `${url.pathname}${url.search}` : '/'
}

function strip(path: string, start: string): string {
  if (start === '' || !path.startsWith(start)) return path
  return /^[/?]/.test(path.slice(start.length)) ? path.slice(start.length) : path
}
