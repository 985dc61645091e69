import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { request as send } from 'undici'
import { AppError } from '../../errors.ts'
import { sampleReader } from '../../sample/reader.ts'
import { openSampleWiki } from '../../sample/serve.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import { appErrorIn } from './failure.ts'
import { createEgress, type EgressOptions } from './guard.ts'
import { SAMPLE_URL } from './sample-host.ts'

const never = new AbortController().signal
const headers = {
  authorization: `Basic ${btoa(`${sampleReader.username}:${sampleReader.token}`)}`,
}
const SPACES = `${SAMPLE_URL}/wiki/api/v2/spaces`

/** Any use of DNS or a real connection fails the test. */
const noNetwork: EgressOptions = {
  resolve: async (name) => assert.fail(`a name server was request for ${name}`),
  connect: ({ hostname }) => assert.fail(`a connection to ${hostname} was made`),
}

const code = (attempt: Promise<unknown>) =>
  attempt.then(
    () => assert.fail('it was not refused'),
    (error) => (error instanceof AppError ? error.code : assert.fail(String(error))),
  )

describe('the sample wiki of the process', () => {
  const sample = openSampleWiki(SAMPLE_URL)
  let connections = 0
  const connectSample = async () => {
    connections++
    return sample.connect()
  }
  const egress = createEgress({ ...noNetwork, sample: connectSample })
  after(async () => {
    await egress.close()
    sample.close()
  })
  const get = (url: string, more = {}) => egress.request(new URL(url), { headers, ...more }, never)

  test('responds at its one address, on kept-alive connections', async () => {
    const before = connections
    for (let i = 0; i < 50; i++) {
      const answer = await get(SPACES)
      assert.equal(answer.status, 200)
      const { results } = JSON.parse(await answer.text()) as { results: { key: string }[] }
      assert.deepEqual(
        results.map(({ key }) => key),
        ['ENG', 'PPL', 'FIN', 'HB'],
      )
    }
    // Responses are so fast that a connection is often still busy when the next request needs one.
    assert.ok(connections - before <= 32, `${connections - before} connections`)
  })

  test('responds to every spelling of that address', async () => {
    const same = ['http://SAMPLE-wiki.Millrace.INTERNAL', 'http://sample-wiki.millrace.internal:80']
    for (const origin of same) assert.equal((await get(`${origin}/wiki/api/v2/spaces`)).status, 200, origin)
  })

  const lookalikes = [
    ...['https://sample-wiki.millrace.internal', 'http://sample-wiki.millrace.internal:8080'],
    ...['http://sample-wiki.millrace.internal:1', 'https://sample-wiki.millrace.internal:80'],
    ...['http://sample-wiki.millrace.internal.', 'http://SAMPLE-WIKI.MILLRACE.INTERNAL.'],
    ...['http://a.sample-wiki.millrace.internal', 'http://127.0.0.1.sample-wiki.millrace.internal:9200'],
    ...['http://reader@sample-wiki.millrace.internal', 'http://:x@sample-wiki.millrace.internal'],
    ...['ftp://sample-wiki.millrace.internal', 'http://sample%2Dwiki.millrace.internal:443'],
  ]
  for (const origin of lookalikes) {
    test(`is not reached by ${origin}`, async () => {
      const before = connections
      assert.notEqual(egress.refusal(new URL(origin)), null)
      assert.equal(await code(get(`${origin}/wiki/api/v2/spaces`)), 'egress_refused')
      assert.equal(connections, before)
    })
  }

  test('does not change how similar names are handled', () => {
    for (const url of [
      'http://millrace.internal',
      'http://xsample-wiki.millrace.internal',
      'http://127.0.0.1',
    ])
      assert.match(egress.refusal(new URL(url)) ?? '', /MILLRACE_ALLOWED_HOSTS/, url)
    assert.equal(egress.isAllowed(new URL(SAMPLE_URL)), false, 'it is exempt from nothing but this')
  })

  test('is reached the same way if the operator allows its name, or everything', async (t) => {
    const allowedHosts = parseAllowedHosts('sample-wiki.millrace.internal,*.millrace.internal')
    for (const options of [{ allowedHosts }, { publicOnly: false }]) {
      const open = createEgress({ ...noNetwork, ...options, sample: connectSample })
      t.after(() => open.close())
      for (const origin of lookalikes) assert.notEqual(open.refusal(new URL(origin)), null, origin)
      const closed = createEgress({ ...noNetwork, ...options })
      t.after(() => closed.close())
      assert.equal(await code(closed.request(new URL(SPACES), { headers }, never)), 'egress_refused')
    }
  })

  test('is refused if switched off, with the setting to change', async (t) => {
    const off = createEgress(noNetwork)
    t.after(() => off.close())
    assert.match(off.refusal(new URL(SAMPLE_URL)) ?? '', /MILLRACE_SAMPLE_WIKI/)
    assert.equal(await code(off.request(new URL(SPACES), { headers }, never)), 'egress_refused')
    const error = await send(SPACES, { dispatcher: off.dispatcher }).catch((error) => error)
    assert.equal(appErrorIn(error)?.code, 'egress_refused')
  })

  test('is never reached from an address in a document', async () => {
    assert.notEqual(egress.untrusted.refusal(new URL(SAMPLE_URL)), null)
    const request = { accept: '*/*', maxBytes: 1000, timeoutMs: 1000 }
    assert.equal(await code(egress.untrusted.request(new URL(SPACES), request, never)), 'egress_refused')
  })

  for (const redirects of ['as allowed', 'untrusted'] as const) {
    test(`is never reached by a redirect of another host (${redirects})`, async (t) => {
      const server = createServer((_, response) => response.writeHead(302, { location: SPACES }).end())
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const { port } = server.address() as AddressInfo
      const other = createEgress({ allowedHosts: parseAllowedHosts('127.0.0.1'), sample: connectSample })
      t.after(() => other.close().then(() => server.close()))
      const before = connections
      const attempt = other.request(new URL(`http://127.0.0.1:${port}/`), { headers, redirects }, never)
      assert.equal(await code(attempt), 'egress_refused')
      assert.equal(connections, before)
    })
  }

  test('has no control routes and accepts no changes', async () => {
    for (const path of ['/__control/set', '/__control/fail', '/__control/truth', '/wiki/__control/set']) {
      const answer = await get(`${SAMPLE_URL}${path}`, { method: 'POST', body: '[{}]' })
      assert.equal(answer.status, 404, path)
    }
    const key = await get(`${SAMPLE_URL}/wiki/api/v2/admin-key`, { method: 'POST', body: '{}' })
    assert.equal(key.status, 403)
    const dataCenter = await get(`${SAMPLE_URL}/confluence/rest/api/space`)
    assert.equal(dataCenter.status, 404)
  })

  test('refuses requests without its credentials', async () => {
    for (const wrong of ['', 'Basic cmVhZGVyOng=', 'Bearer x', `Basic ${btoa(`${sampleReader.username}:`)}`])
      assert.equal((await get(SPACES, { headers: { authorization: wrong } })).status, 401, wrong)
  })

  test('serves files at the same address', async () => {
    const found = await get(`${SAMPLE_URL}/wiki/api/v2/attachments`)
    const { results } = JSON.parse(await found.text()) as {
      results: { id: string; pageId: string; fileSize: number }[]
    }
    const [file] = results
    assert.ok(file, 'there are files')
    const path = `/wiki/rest/api/content/${file.pageId}/child/attachment/${file.id}/download`
    const answer = await get(`${SAMPLE_URL}${path}`, { redirects: 'untrusted' })
    assert.deepEqual([answer.status, (await answer.bytes()).length], [200, file.fileSize])
  })
})
