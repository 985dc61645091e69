import type { IncomingHttpHeaders } from 'node:http'
import { hasScope } from './access/scopes.ts'
import { gatewayAccount, siteAccount, withLoginReason } from './access/sign-in.ts'
import { isOpenToVisitors, visitor } from './access/visitor.ts'
import {
  findRoute,
  gatewayError,
  ok,
  type Route,
  type SiteUrls,
  v1Error,
  v2Error,
  WikiError,
  type WikiResponse,
} from './http.ts'
import type { ApiAccount, World } from './model/model.ts'
import { cloudV1Routes } from './v1/cloud.ts'
import { cloudV2Routes } from './v2/cloud.ts'

export interface SiteRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** The Cloud site and its gateway: authenticates and routes requests. */
export function answerCloud(world: World, urls: SiteUrls, request: SiteRequest): WikiResponse {
  const [path = ''] = request.url.split('?', 1)
  if (path === '/_edge/tenant_info') return ok({ cloudId: world.cloudId })
  if (path === '/oauth/token/accessible-resources') return accessibleResources(world, urls, request)
  if (path.startsWith('/ex/confluence/')) return answerGateway(world, urls, request)
  const { authorization } = request.headers
  const account = siteAccount(world, authorization)
  if (account === 'scoped')
    return { status: 401, headers: challenge(urls), body: '<html><body>Unauthorized</body></html>' }
  const response = answerSite(world, urls, { ...request, account })
  return withLoginReason(response, { authorization, signedIn: account !== undefined })
}

/** Without an account, or with wrong credentials, the caller is a visitor. */
function answerSite(
  world: World,
  urls: SiteUrls,
  request: SiteRequest & { account: ApiAccount | undefined },
): WikiResponse {
  const [path = ''] = request.url.split('?', 1)
  const { account } = request
  const api = apiOf(path)
  const toError = api?.name === 'v2' ? v2Error : v1Error
  const unauthorized = new WikiError(401, 'Unauthorized', { headers: challenge(urls) })
  if (account === undefined) {
    if (api === undefined || !allowsVisitor(world, request, api)) return toError(unauthorized)
    return answerApi(world, urls, { ...request, account: visitor(), api, gateway: false })
  }
  // The legacy paths no longer accept tokens.
  if (/^\/wiki\/download\/(attachments|thumbnails)\//.test(path)) return toError(unauthorized)
  if (api === undefined) return { status: 404, body: '<html><body>Page not found</body></html>' }
  return answerApi(world, urls, { ...request, account, api, gateway: false })
}

/** The gateway has no visitors: wrong credentials are 401. */
function answerGateway(world: World, urls: SiteUrls, request: SiteRequest): WikiResponse {
  const [, cloudId, rest = ''] = /^\/ex\/confluence\/([^/]+)(\/.*)$/.exec(request.url) ?? []
  const account = gatewayAccount(world, request.headers.authorization)
  if (account === undefined) return gatewayError(new WikiError(401, 'Unauthorized'))
  const api = apiOf(rest.split('?', 1)[0] ?? '')
  if (cloudId !== world.cloudId || api === undefined) return gatewayError(new WikiError(404, 'Not Found'))
  return answerApi(world, urls, { ...request, url: rest, account, api, gateway: true })
}

interface Api {
  name: 'v1' | 'v2'
  path: string
}

function apiOf(path: string): Api | undefined {
  if (path.startsWith('/wiki/api/v2/')) return { name: 'v2', path: path.slice('/wiki/api/v2'.length) }
  if (path.startsWith('/wiki/rest/api/')) return { name: 'v1', path: path.slice('/wiki/rest/api'.length) }
  return undefined
}

function answerApi(
  world: World,
  urls: SiteUrls,
  request: SiteRequest & { account: ApiAccount; api: Api; gateway: boolean },
): WikiResponse {
  const { method, url, headers, body, api, gateway } = request
  const toError = api.name === 'v2' ? v2Error : v1Error
  const match = findRoute(routesOf(api), method, api.path)
  if (match === undefined) return toError(new WikiError(404, 'Not Found'))
  if (gateway && !hasScope(request.account, match.route.scope))
    return gatewayError(missingScopeError(world.settings.missingScope))
  // An admin key opens restricted content, but not in CQL or through the gateway.
  const hasAdminKey =
    headers['atl-confluence-with-admin-key'] === 'true' && request.account.adminKeyUntil > Date.now()
  const usesAdminKey = hasAdminKey && !gateway && match.route.pattern !== '/content/search'
  const account = usesAdminKey ? { ...request.account, seesAll: true } : request.account
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  try {
    return match.route.handle({
      world,
      account,
      method,
      url,
      query,
      params: match.params,
      headers,
      body,
      urls,
    })
  } catch (error) {
    if (error instanceof WikiError) return toError(error)
    throw error
  }
}

function allowsVisitor(world: World, { method }: SiteRequest, api: Api): boolean {
  const match = world.settings.cloudVisitors ? findRoute(routesOf(api), method, api.path) : undefined
  return match !== undefined && isOpenToVisitors(match.route.pattern)
}

const routesOf = ({ name }: Api): Route[] => (name === 'v2' ? cloudV2Routes : cloudV1Routes)

const missingScopeError = (status: 401 | 403 | 404): WikiError =>
  new WikiError(status, status === 404 ? 'Not Found' : 'Unauthorized; scope does not match')

function accessibleResources(world: World, urls: SiteUrls, request: SiteRequest): WikiResponse {
  const account = gatewayAccount(world, request.headers.authorization)
  if (account === undefined) return gatewayError(new WikiError(401, 'Unauthorized'))
  return ok([
    {
      id: world.cloudId,
      name: 'acme',
      url: urls.cloudUrl.replace(/\/wiki$/, ''),
      scopes: [...(account.scopes ?? [])],
    },
  ])
}

const challenge = (urls: SiteUrls): Record<string, string> => ({
  'www-authenticate': `OAuth realm="${encodeURIComponent(urls.cloudUrl)}"`,
})
