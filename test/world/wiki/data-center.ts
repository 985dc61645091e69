import { dataCenterAccount, readBasic, readBearer, withLoginReason } from './access/sign-in.ts'
import { visitor } from './access/visitor.ts'
import type { SiteRequest } from './cloud.ts'
import { contentRoutes } from './dc-content.ts'
import { download, downloadLogin, isDownload, isOpenDownload } from './dc-download.ts'
import { globalPermissionRoutes } from './dc-global-permissions.ts'
import { peopleRoutes } from './dc-people.ts'
import { jsonRpc, permissionRoutes } from './dc-permissions.ts'
import { atLeast } from './dc-version.ts'
import {
  type ApiCall,
  findRoute,
  ok,
  type Route,
  route,
  type SiteUrls,
  v1Error,
  WikiError,
  type WikiResponse,
} from './http.ts'
import type { ApiAccount, World } from './model/model.ts'

/** Data Center under its context path: the caller, and the routes. */
export function answerDataCenter(world: World, urls: SiteUrls, request: SiteRequest): WikiResponse {
  const { dcContext, dcLoginPage, dcCaptcha } = world.settings
  const [path = '', search = ''] = request.url.split('?')
  if (!path.startsWith(`${dcContext}/`))
    return { status: 404, body: '<html><body>HTTP Status 404 – Not Found</body></html>' }
  // Single sign-on answers requests without a session with a sign-in page and 200.
  if (dcLoginPage) return { status: 200, body: loginPage }
  if (dcCaptcha && readBasic(request.headers.authorization) !== undefined) return v1Error(captcha(urls))
  const local = path.slice(dcContext.length)
  if (local === '/login.action') return { status: 200, body: loginPage }
  const { authorization } = request.headers
  const account = accountOf(world, authorization)
  const response = answerCaller(world, urls, { ...request, local, search, account })
  return withLoginReason(response, { authorization, signedIn: account !== undefined })
}

/** Without an account, or with wrong credentials, the caller is a visitor. */
function answerCaller(
  world: World,
  urls: SiteUrls,
  request: SiteRequest & { local: string; search: string; account: ApiAccount | undefined },
): WikiResponse {
  const { local, search } = request
  const account = request.account ?? visitorAt(world, local)
  if (account === undefined) return refuseVisitor(world, urls, request)
  const match = findRoute(routes, request.method, local)
  if (match === undefined) return v1Error(new WikiError(404, `null for uri: ${urls.dataCenterUrl}${local}`))
  const { method, url, headers, body } = request
  const call: ApiCall = {
    world,
    account,
    method,
    url,
    query: new URLSearchParams(search),
    params: match.params,
    headers,
    body,
    urls,
  }
  try {
    return match.route.handle(call)
  } catch (error) {
    if (error instanceof WikiError) return v1Error(error)
    throw error
  }
}

/** Wrong credentials differ from none only if the site admits no visitors. */
function refuseVisitor(
  world: World,
  urls: SiteUrls,
  { url, headers, local }: SiteRequest & { local: string },
) {
  const isVisitor = headers.authorization === undefined || world.settings.dcVisitors
  const login = isVisitor && isDownload(local) ? downloadLogin(world, urls, url) : undefined
  return login ?? v1Error(unauthorized(urls))
}

const under = (prefix: string, list: Route[]): Route[] =>
  list.map(({ method, pattern, handle }) => route(`${method as 'GET'} ${prefix}${pattern}`, '', handle))

const routes: Route[] = [
  ...under('/rest/api', [...contentRoutes, ...permissionRoutes, ...globalPermissionRoutes, ...peopleRoutes]),
  route('GET /rest/api/server-information', '', serverInformation),
  route('GET /rest/applinks/1.0/manifest', '', manifest),
  route('POST /rpc/json-rpc/confluenceservice-v2', '', jsonRpc),
  route('POST /rpc/json-rpc/confluenceservice-v2/{method}', '', jsonRpc),
  route('GET /download/attachments/{id}/{name}', '', download),
  route('GET /download/thumbnails/{id}/{name}', '', download),
]

/** Personal access tokens came with 7.9. */
const accountOf = (world: World, authorization: string | undefined): ApiAccount | undefined =>
  readBearer(authorization) !== undefined && !atLeast(world, '7.9')
    ? undefined
    : dataCenterAccount(world, authorization)

/** Visitors may read spaces and content, but not people or permissions. */
function visitorAt(world: World, local: string): ApiAccount | undefined {
  const isOpen = openToVisitors.some((pattern) => pattern.test(local)) || isOpenDownload(world, local)
  return isOpen && world.settings.dcVisitors ? visitor() : undefined
}

const openToVisitors = [
  /^\/rest\/api\/space(\/[^/]+)?$/,
  /^\/rest\/api\/content(\/[^/]+)?$/,
  /^\/rest\/api\/content\/[^/]+\/(child\/\w+|label)$/,
  /^\/rest\/api\/search$/,
]

function serverInformation({ world, urls }: ApiCall): WikiResponse {
  return ok({
    version: world.settings.dcVersion,
    buildNumber: '9111',
    marketplaceBuildNumber: 9111,
    baseUrl: urls.dataCenterUrl,
  })
}

function manifest({ world }: ApiCall): WikiResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?><manifest><name>Confluence</name><typeId>confluence</typeId><version>${world.settings.dcVersion}</version></manifest>`
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}

const unauthorized = (urls: SiteUrls): WikiError =>
  new WikiError(401, 'Basic Authentication Failure - Reason : AUTHENTICATED_FAILED', {
    headers: {
      'www-authenticate': `OAuth realm="${encodeURIComponent(urls.dataCenterUrl)}"`,
      'x-seraph-loginreason': 'AUTHENTICATED_FAILED',
    },
  })

const captcha = (urls: SiteUrls): WikiError =>
  new WikiError(403, 'Basic Authentication Failure - Reason : AUTHENTICATION_DENIED', {
    headers: {
      'x-authentication-denied-reason': `CAPTCHA_CHALLENGE; login-url=${urls.dataCenterUrl}/login.action`,
      'x-seraph-loginreason': 'AUTHENTICATION_DENIED',
    },
  })

const loginPage =
  '<!DOCTYPE html><html><head><title>Log In - Confluence</title></head><body><form name="loginform" action="/dologin.action"></form></body></html>'
