import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { fillSample } from './fill.ts'
import { sampleReader } from './reader.ts'
import { answerCloud, type SiteRequest } from './wiki/cloud.ts'
import type { SiteUrls, WikiResponse } from './wiki/http.ts'
import { emptyWorld, type World } from './wiki/model/model.ts'
import { addGroup, addPerson, fixedUuid } from './wiki/model/people.ts'
import { answerMedia } from './wiki/render/media.ts'
import { send } from './wiki/send.ts'

/** A wiki without a port; only the holder of this object can connect. */
export type SampleWiki = { connect(): Duplex; close(): void }

/** A read-only Confluence Cloud site with 200 invented pages, identical after every start. */
export function openSampleWiki(origin: string): SampleWiki {
  const world = makeWorld()
  const urls: SiteUrls = { cloudUrl: `${origin}/wiki`, dataCenterUrl: '', mediaUrl: `${origin}${FILES}` }
  const server = createServer((incoming, outgoing) => {
    serve({ world, urls }, incoming, outgoing).catch(() => outgoing.destroy())
  })
  return {
    connect() {
      const [near, far] = duplexPair()
      server.emit('connection', far)
      return near
    },
    close: () => server.closeAllConnections(),
  }
}

// Cloud serves files from a separate host; here they share one, under a path.
const FILES = '/files'

async function serve(
  { world, urls }: { world: World; urls: SiteUrls },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = await readRequest(incoming)
  await send(outgoing, respond(world, urls, request))
}

function respond(world: World, urls: SiteUrls, request: SiteRequest): WikiResponse {
  if (!request.url.startsWith(`${FILES}/`)) return answerCloud(world, urls, request)
  const { authorization: _, ...headers } = request.headers
  return answerMedia(world, { ...request, url: request.url.slice(FILES.length), headers })
}

async function readRequest(incoming: IncomingMessage): Promise<SiteRequest> {
  const { method = 'GET', url = '/', headers } = incoming
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return { method, url, headers, body: Buffer.concat(chunks).toString() }
}

function makeWorld(): World {
  const world = emptyWorld({ cloudVisitors: false })
  addGroup(world, { id: fixedUuid(1), name: 'confluence-users' })
  const { username: email, token: apiToken } = sampleReader
  const accountId = `557058:${fixedUuid(100)}`
  addPerson(world, { accountId, name: 'Millrace reader', username: 'reader', email })
  world.accounts.push({
    name: 'reader',
    accountId,
    email,
    apiToken,
    // The other sign-in modes are unused.
    scopedToken: crypto.randomUUID(),
    bearer: crypto.randomUUID(),
    pat: crypto.randomUUID(),
    username: 'reader',
    password: crypto.randomUUID(),
    seesAll: true,
    hiddenSpaces: new Set(),
    hiddenNodes: new Set(),
    forbidden: false,
    // An administrator could enable an admin key, the only change a request can make.
    admin: false,
    mayCheck: true,
    adminKeyUntil: 0,
    scopes: null,
    timeZoneMinutes: 0,
  })
  fillSample(world)
  return world
}
