import { visitor } from '../../../src/sample/wiki/access/visitor.ts'
import { readBasic, type SiteRequest } from '../../../src/sample/wiki/cloud.ts'
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
} from '../../../src/sample/wiki/http.ts'
import type { ApiAccount, World } from '../../../src/sample/wiki/model/model.ts'
import { contentRoutes } from './dc-content.ts'
import { download, downloadLogin, isDownload } from './dc-download.ts'
import { peopleRoutes } from './dc-people.ts'
import { jsonRpc, permissionRoutes } from './dc-permissions.ts'
import { atLeast } from './dc-version.ts'

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
  const anonymous = request.headers.authorization === undefined
  const login = anonymous && isDownload(local) ? downloadLogin(world, urls, request.url) : undefined
  if (login !== undefined) return login
  const account = accountOf(world, request.headers.authorization) ?? visitorAt(world, local, request)
  if (account === undefined) return v1Error(unauthorized(urls))
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

const under = (prefix: string, list: Route[]): Route[] =>
  list.map(({ method, pattern, handle }) => route(`${method as 'GET'} ${prefix}${pattern}`, '', handle))

const routes: Route[] = [
  ...under('/rest/api', [...contentRoutes, ...permissionRoutes, ...peopleRoutes]),
  route('GET /rest/api/server-information', '', serverInformation),
  route('GET /rest/applinks/1.0/manifest', '', manifest),
  route('POST /rpc/json-rpc/confluenceservice-v2', '', jsonRpc),
  route('POST /rpc/json-rpc/confluenceservice-v2/{method}', '', jsonRpc),
  route('GET /download/attachments/{id}/{name}', '', download),
  route('GET /download/thumbnails/{id}/{name}', '', download),
]

/** Personal access tokens came with 7.9. */
function accountOf(world: World, authorization: string | undefined): ApiAccount | undefined {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  if (token !== undefined)
    return atLeast(world, '7.9') ? world.accounts.find((each) => each.pat === token) : undefined
  const basic = readBasic(authorization)
  return world.accounts.find((each) => each.username === basic?.user && each.password === basic.secret)
}

/** Visitors are simulated only as far as whether they see a space. */
function visitorAt(world: World, local: string, { headers }: SiteRequest): ApiAccount | undefined {
  const known = headers.authorization !== undefined || !world.settings.dcVisitors
  if (known || !/^\/rest\/api\/space\/[^/]+$/.test(local)) return undefined
  return visitor()
}

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
