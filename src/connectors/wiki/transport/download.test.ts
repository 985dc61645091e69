import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { AppError } from '../../../errors.ts'
import type { Egress } from '../../egress/egress.ts'
import { createEgress } from '../../egress/guard.ts'
import { dataCenterSite } from './site.ts'
import {
  createWikiTransport,
  isNotFound,
  isTooLong,
  type TransportOptions,
  type WikiFile,
  type WikiTransport,
} from './transport.ts'

const { signal } = new AbortController()
const TOKEN = 'canary-of-the-media-host'
type Handler = (response: ServerResponse, request: IncomingMessage) => void

async function serve(handlers: () => Record<string, Handler>) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    const handler = handlers()[new URL(request.url!, 'http://x').pathname]
    if (handler) handler(response, request)
    else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { seen, server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const opened: Egress[] = []
let wiki: { seen: IncomingMessage[]; server: Server; origin: string }
let media: typeof wiki
let wikiHandlers: Record<string, Handler> = {}
let mediaHandlers: Record<string, Handler> = {}
let transport: WikiTransport

/** Has its own egress, so that earlier tests do not affect its pace. */
function open(options: TransportOptions = {}, context = '/confluence'): WikiTransport {
  const egress = createEgress({ publicOnly: false })
  opened.push(egress)
  const access = { site: dataCenterSite(`${wiki.origin}${context}`), authorization: 'Bearer canary', egress }
  return createWikiTransport(access, { firstWaitMs: 1, idleMs: 60_000, ...options })
}

before(async () => {
  wiki = await serve(() => wikiHandlers)
  media = await serve(() => mediaHandlers)
})
beforeEach(() => {
  wiki.seen.length = 0
  media.seen.length = 0
  transport = open()
})
after(async () => {
  for (const egress of opened) await egress.close()
  for (const { server } of [wiki, media]) {
    server.closeAllConnections()
    server.close()
  }
})

function download(more: Partial<WikiFile> = {}, then = signal) {
  const what = { doing: 'reading file 7', maxBytes: 1_000_000, ...more }
  return transport.download(more.url ? what : { path: '/file', ...what }, then)
}
async function failure(more: Partial<WikiFile> = {}): Promise<AppError> {
  const error = await download(more).then(
    () => assert.fail('it did not fail'),
    (error) => error,
  )
  assert.ok(error instanceof AppError, String(error))
  return error
}
const serveFile = (handler: Handler) => {
  wikiHandlers = { '/confluence/file': handler }
}
const redirectToMedia = (handler: Handler) => {
  serveFile((response) =>
    response.writeHead(302, { location: `${media.origin}/binary?token=${TOKEN}` }).end('moved'),
  )
  mediaHandlers = { '/binary': handler }
}

describe('a download', () => {
  test('sends the credentials and returns the bytes unchanged', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 254])
    serveFile((response) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes))
    const downloaded = await download({ query: { version: '3' } })
    assert.deepEqual(Buffer.from(downloaded.bytes), bytes)
    assert.deepEqual([downloaded.complete, downloaded.contentType], [true, 'image/png'])
    const [request] = wiki.seen
    assert.equal(request!.url, '/confluence/file?version=3')
    const { authorization, accept, 'accept-encoding': encoding } = request!.headers
    assert.deepEqual([authorization, accept, encoding], ['Bearer canary', '*/*', 'identity'])
  })

  test('follows a redirect to another host without credentials, and drops its token', async () => {
    redirectToMedia((response) => response.end('here'))
    const downloaded = await download()
    assert.equal(Buffer.from(downloaded.bytes).toString(), 'here')
    assert.equal(media.seen[0]!.headers.authorization, undefined)
    assert.match(media.seen[0]!.url!, /token=/)
    assert.equal(downloaded.url.href, `${media.origin}/binary`)
  })

  test('never reports the token of another host, however that fails', async () => {
    const failures: Handler[] = [
      (response) => response.writeHead(500).end(TOKEN),
      (response) => response.writeHead(404).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(302, { location: `http://user:x@127.0.0.1/?token=${TOKEN}` }).end(),
      (response) => response.writeHead(200, { 'content-length': '9999999' }).end(),
    ]
    for (const each of failures) {
      transport = open({ tries: 2 })
      redirectToMedia(each)
      const error = await failure()
      assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), new RegExp(TOKEN))
      assert.equal(error.endsJob, false, error.code)
    }
  })

  test('requests a new address from the wiki if the other host refuses the old one', async () => {
    redirectToMedia((response) => response.writeHead(media.seen.length === 1 ? 403 : 200).end('here'))
    assert.equal((await download()).complete, true)
    assert.equal(wiki.seen.length, 2)
  })

  test('does not treat failures of another host as failures of the wiki', async () => {
    redirectToMedia((response) => response.writeHead(media.seen.length < 3 ? 503 : 200).end('here'))
    assert.equal((await download()).complete, true)
    assert.equal(media.seen.length, 3)
    redirectToMedia((response) => response.writeHead(429, { 'retry-after': '3000' }).end())
    assert.equal((await failure()).code, 'source_failed')
    serveFile((response) => response.end('here'))
    assert.equal((await download()).complete, true)
  })
})

describe('the address of a download', () => {
  test('must be inside the wiki', async () => {
    const elsewhere = [
      media.origin,
      `${media.origin}/confluence/file`,
      `${wiki.origin}/other/file`,
      `${wiki.origin}/confluence/../other`,
      `${wiki.origin}/confluence/%2e%2e/other`,
      `${wiki.origin}/confluences/file`,
    ]
    for (const url of elsewhere)
      assert.equal((await failure({ url: new URL(url) })).code, 'invalid_request', url)
    for (const path of ['@127.0.0.1/x', '.evil.example/x', '/../other', 'file']) {
      assert.equal((await failure({ path })).code, 'invalid_request', path)
    }
    assert.deepEqual([wiki.seen.length, media.seen.length], [0, 0])
    serveFile((response) => response.end('here'))
    assert.equal((await download({ url: new URL(`${wiki.origin}/confluence/file?v=1`) })).complete, true)
  })

  test('cannot leave a wiki without a context path', async () => {
    transport = open({}, '')
    for (const path of [`@${new URL(media.origin).host}/file`, 'file'])
      assert.equal((await failure({ path })).code, 'invalid_request')
    assert.equal(media.seen.length, 0)
  })
})

describe('a file that cannot be downloaded', () => {
  test('ends the job if the wiki says that the credentials were not accepted', async () => {
    for (const status of [200, 401, 404]) {
      serveFile((response) =>
        response.writeHead(status, { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' }).end('a public file'),
      )
      const error = await failure()
      assert.deepEqual([error.code, error.endsJob], ['source_unauthorized', true])
    }
  })

  test('fails one document', async () => {
    const codes = { 401: 'source_forbidden', 403: 'source_forbidden', 404: 'source_not_found' }
    for (const [status, code] of Object.entries(codes)) {
      serveFile((response) => response.writeHead(Number(status)).end('<html>'.repeat(100_000)))
      const error = await failure({ maxBytes: 10 })
      assert.equal(error.code, code)
      assert.equal(error.endsJob, false)
      assert.equal(isNotFound(error), status === '404')
    }
    assert.equal(wiki.seen.length, 3)
  })

  test('is forbidden if a page comes instead, unless the page is sent as an attachment', async () => {
    const type = { 'content-type': 'text/html;charset=UTF-8' }
    const page: Handler = (response) => response.writeHead(200, type).end('<html>')
    const sent = { ...type, 'content-disposition': 'attachment; filename="login"' }
    wikiHandlers = {
      '/confluence/file': (response) =>
        response.writeHead(302, { location: '/confluence/login.action?os_destination=x' }).end(),
      '/confluence/login.action': page,
      '/confluence/shown': page,
      '/confluence/download/login': (response) => response.writeHead(200, sent).end('<html>'),
    }
    assert.equal((await failure()).code, 'source_forbidden')
    assert.equal((await failure({ path: '/shown' })).code, 'source_forbidden')
    assert.equal((await download({ path: '/download/login' })).contentType, 'text/html;charset=UTF-8')
  })

  test('is retried after the wait that the wiki asks for', async () => {
    serveFile((response) => {
      const times = wiki.seen.length
      if (times === 1) response.writeHead(429, { 'retry-after': '0.01' }).end()
      else if (times === 2) response.writeHead(500).end()
      else response.end('here')
    })
    assert.equal((await download()).complete, true)
    assert.equal(wiki.seen.length, 3)
  })
})

describe('the length of a file', () => {
  test('is checked before anything is read', async () => {
    const { promise: cut, resolve } = Promise.withResolvers<void>()
    serveFile((response) => {
      response.on('close', resolve).writeHead(200, { 'content-length': '5000' }).flushHeaders()
    })
    const error = await failure({
      maxBytes: 4_999,
      shouldContinue: () => assert.fail('nothing should be read'),
    })
    assert.ok(isTooLong(error))
    assert.equal(wiki.seen.length, 1)
    await cut
  })

  test('is limited to the byte if it is not announced', async () => {
    serveFile((response) => {
      response.write('x'.repeat(600))
      response.end('x'.repeat(400))
    })
    assert.ok(isTooLong(await failure({ maxBytes: 999 })))
    assert.equal((await download({ maxBytes: 1_000 })).bytes.length, 1_000)
  })

  test('that is not reached is a broken connection, and the download is retried', async () => {
    serveFile((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      if (wiki.seen.length < 3) response.write('x'.repeat(500), () => response.destroy())
      else response.end('x'.repeat(1_000))
    })
    const downloaded = await download()
    assert.deepEqual([downloaded.bytes.length, downloaded.complete, wiki.seen.length], [1_000, true, 3])
  })

  test('that is never reached fails one document', async () => {
    serveFile((response) => {
      response.writeHead(200)
      response.write('x'.repeat(500), () => response.destroy())
    })
    assert.equal((await failure()).code, 'source_failed')
    assert.equal(wiki.seen.length, 6)
  })
})

describe('the first bytes of a file', () => {
  test('decide whether the rest is read', async () => {
    const { promise: cut, resolve } = Promise.withResolvers<void>()
    serveFile((response) => {
      response.on('close', resolve).writeHead(200)
      response.write('x'.repeat(2_000))
      setImmediate(() => response.write('x'.repeat(3_000)))
    })
    const heads: number[] = []
    const shouldContinue = async (head: Uint8Array) => {
      heads.push(head.length)
      return false
    }
    const downloaded = await download({ shouldContinue })
    assert.deepEqual(heads, [4_100])
    assert.equal(downloaded.complete, false)
    assert.ok(downloaded.bytes.length >= 4_100)
    await cut
  })

  test('are checked once, even if the file is shorter', async () => {
    const heads: number[] = []
    const shouldContinue = (head: Uint8Array) => heads.push(head.length) > 0
    serveFile((response) => response.end('x'.repeat(20_000)))
    assert.equal((await download({ shouldContinue })).bytes.length, 20_000)
    serveFile((response) => response.end('short'))
    assert.deepEqual((await download({ shouldContinue })).complete, true)
    assert.deepEqual(heads, [4_100, 5])
  })
})

describe('the time of a download', () => {
  test('is limited by silence, not in total', async () => {
    transport = open({ idleMs: 3_000 })
    serveFile((response) => {
      let left = 8
      response.writeHead(200)
      const drip = () => {
        response.write('x')
        if (--left > 0) setTimeout(drip, 450)
        else response.end()
      }
      drip()
    })
    assert.equal((await download()).bytes.length, 8)
  })

  test('ends after silence and fails one document', async () => {
    transport = open({ tries: 1, idleMs: 1_000 })
    serveFile((response) => response.writeHead(200).write('x'))
    const { code, message } = await failure()
    assert.equal(code, 'source_failed')
    assert.match(message, /stopped in the middle/)
  })

  test('ends when the file drips, and fails one document', async () => {
    transport = open({ tries: 1, slowMs: 500 })
    serveFile((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const { code, message, endsJob } = await failure()
    assert.deepEqual([code, endsJob], ['source_failed', false])
    assert.match(message, /sends its response too slowly/)
  })

  test('ends at once when cancelled', async () => {
    const caller = new AbortController()
    serveFile((response) => {
      response.writeHead(200).write('x')
      caller.abort(new AppError('cancelled', 'cancelled by the test'))
    })
    await assert.rejects(download({}, caller.signal), { code: 'cancelled' })
  })
})
