import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { cqlPath, requestCloud } from './ask.ts'
import { fault } from './faults.ts'
import { startWiki, type Wiki } from './start.ts'

describe('controls of the simulated wiki', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>

  before(async () => {
    wiki = await startWiki({ seed: 10, pages: 60 })
    get = requestCloud(wiki.cloudUrl)
  })
  after(() => wiki.stop())
  beforeEach(() => wiki.control.clearFaults())

  test('it fails the next requests that match, then answers again', async () => {
    await wiki.control.fail({ ...fault.rateLimited(7), path: '/api/v2/spaces', times: 2 })
    assert.equal((await get('/api/v2/pages')).status, 200)
    for (let at = 0; at < 2; at++) {
      const { status, headers, json } = await get('/api/v2/spaces')
      assert.deepEqual([status, headers.get('retry-after'), json.code], [429, '7', 429])
      assert.equal(headers.get('ratelimit-reason'), 'confluence-burst-based')
    }
    assert.equal((await get('/api/v2/spaces')).status, 200)
    assert.equal((await wiki.control.faults())[0]?.hits, 2)
  })

  test('it can skip some requests first, and fail until cleared', async () => {
    await wiki.control.fail({ ...fault.unavailable(), path: 'spaces', after: 1, times: null })
    const statuses = [await get('/api/v2/spaces'), await get('/api/v2/spaces'), await get('/api/v2/spaces')]
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [200, 503, 503],
    )
    await wiki.control.clearFaults()
    assert.equal((await get('/api/v2/spaces')).status, 200)
  })

  test('it can hold requests until they are released, again and again', async () => {
    await wiki.control.fail({ path: 'spaces', isHeld: true, times: null })
    for (const round of [1, 2]) {
      const order: string[] = []
      const held = get('/api/v2/spaces').then(({ status }) => order.push(String(status)))
      while ((await wiki.control.faults())[0]?.hits !== round);
      order.push('released')
      await wiki.control.releaseHeld()
      await held
      assert.deepEqual(order, ['released', '200'])
    }
    await wiki.control.clearFaults()
    assert.equal((await get('/api/v2/spaces')).status, 200)
  })

  test('it can answer 429 without a time, 500 or 401', async () => {
    await wiki.control.fail(fault.rateLimited())
    const limited = await get('/api/v2/spaces')
    assert.deepEqual(
      [limited.status, limited.headers.get('retry-after'), limited.headers.get('x-failure-category')],
      [429, null, 'FAILURE_CLIENT_RATE_LIMITED'],
    )
    await wiki.control.fail(fault.serverError())
    assert.equal((await get('/api/v2/spaces')).status, 500)
    await wiki.control.fail(fault.unauthorized())
    assert.ok((await get('/api/v2/spaces')).headers.get('www-authenticate'))
  })

  test('it can answer HTML with 200, or half of the JSON', async () => {
    await wiki.control.fail(fault.loginPage())
    const page = await get('/api/v2/spaces')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /html/)
    const whole = await get('/api/v2/spaces')
    await wiki.control.fail(fault.truncated())
    const half = await get('/api/v2/spaces')
    assert.deepEqual([half.status, half.json], [200, undefined])
    assert.ok(whole.text.startsWith(half.text) && half.text.length > 0)
  })

  test('it can cut the connection in the middle, reset it, or never answer', async () => {
    await wiki.control.fail(fault.cutOff())
    await assert.rejects(get('/api/v2/pages'))
    await wiki.control.fail(fault.reset())
    await assert.rejects(get('/api/v2/pages'))
    await wiki.control.fail(fault.hang())
    await assert.rejects(get('/api/v2/pages', 'crawler', { signal: AbortSignal.timeout(80) }), {
      name: 'TimeoutError',
    })
    assert.equal((await get('/api/v2/pages')).status, 200)
  })

  test('it can be slow once, or always', async () => {
    const timed = async () => {
      const from = performance.now()
      await get('/api/v2/spaces')
      return performance.now() - from
    }
    await wiki.control.fail(fault.slow(120))
    assert.ok((await timed()) >= 115)
    await wiki.control.set({ latencyMs: 60 })
    assert.ok((await timed()) >= 55)
    await wiki.control.set({ latencyMs: 0 })
  })

  test('it counts requests by endpoint, connections, statuses and bytes, without the controls', async () => {
    await wiki.control.resetCounts()
    const { text } = await get('/api/v2/spaces')
    await get('/api/v2/pages/98311')
    await get('/api/v2/pages/98312')
    const { sites, requests, connections } = await wiki.control.counts()
    assert.equal(requests, 3)
    assert.deepEqual(sites.cloud.byEndpoint, {
      'GET /wiki/api/v2/spaces': 1,
      'GET /wiki/api/v2/pages/{id}': 2,
    })
    assert.deepEqual(sites.cloud.byStatus, { 200: 1, 404: 2 })
    assert.ok(connections >= 1 && connections <= 3)
    assert.ok(sites.cloud.bytesOut > Buffer.byteLength(text))
    assert.equal((await wiki.control.requests()).length, 3)
    await wiki.control.resetCounts()
    assert.equal((await wiki.control.counts()).requests, 0)
  })

  test('it creates, edits, moves, trashes, restores, archives and deletes pages', async () => {
    const parent = await wiki.control.createPage({
      space: 'ENG',
      title: 'Parent',
      body: '<p>one</p>',
      labels: ['a'],
    })
    const child = await wiki.control.createPage({ space: 'ENG', title: 'Child', parentId: parent })
    const read = async (id: string) => (await get(`/api/v2/pages/${id}?body-format=view`)).json
    const made = await read(parent)
    assert.deepEqual([made.version.number, made.body.view.value], [1, '<p>one</p>'])
    await wiki.control.editPage(parent, { title: 'Renamed', body: '<p>two</p>' })
    const edited = await read(parent)
    assert.deepEqual(
      [edited.version.number, edited.title, edited.body.view.value],
      [2, 'Renamed', '<p>two</p>'],
    )
    await wiki.control.labelPage(parent, ['b', 'c'])
    assert.deepEqual((await get(`/api/v2/pages/${parent}/labels`)).json.results.length, 2)
    await wiki.control.trashPage(parent)
    assert.equal((await get(`/api/v2/pages/${parent}`)).status, 404)
    assert.equal((await read(child)).parentId, made.parentId)
    await wiki.control.restorePage(parent)
    await wiki.control.movePage(child, parent)
    assert.equal((await read(child)).parentId, parent)
    assert.equal((await read(child)).version.number, 1)
    await wiki.control.archivePage(parent)
    assert.equal((await read(parent)).status, 'archived')
    await wiki.control.deletePage(child)
    assert.equal((await get(`/api/v2/pages/${child}?status=deleted`)).status, 404)
    await assert.rejects(wiki.control.editPage('1', {}), /there is no content 1/)
  })

  test('it serves a body of 30 MB, and one that is not HTML', async () => {
    const id = await wiki.control.createPage({ space: 'ENG', title: 'Big' })
    await wiki.control.setBigBody(id, 30_000_000)
    const big = await get(`/api/v2/pages/${id}?body-format=view`)
    assert.equal(big.json.body.view.value.length, 30_000_000)
    await wiki.control.setBinaryBody(id)
    assert.match((await get(`/api/v2/pages/${id}?body-format=view`)).json.body.view.value, /^PK/)
    await wiki.control.deletePage(id)
  })

  test('it creates and removes spaces', async () => {
    const { id, homepageId } = await wiki.control.addSpace({ key: 'NEW', name: 'New', permissions: [] })
    assert.equal((await get(`/api/v2/spaces/${id}`)).json.homepageId, homepageId)
    await wiki.control.deleteSpace('NEW')
    assert.equal((await get(`/api/v2/spaces/${id}`)).status, 404)
    assert.equal((await get(`/api/v2/pages/${homepageId}`)).status, 404)
    assert.equal((await get(cqlPath('space=NEW'))).json.size, 0)
  })

  test('it ends on request, and when its parent is killed', async () => {
    const start = new URL('start.ts', import.meta.url).href
    const script = `const { startWiki } = await import('${start}'); console.log((await startWiki({ pages: 30 })).siteUrl)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [siteUrl] = (await once(parent.stdout, 'data')) as [Buffer]
    const { hostname, port } = new URL(siteUrl.toString().trim())
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    socket.on('error', () => undefined)
    parent.kill('SIGKILL')
    await closed
    await wiki.stop()
    await wiki.stop()
    await assert.rejects(fetch(`${wiki.siteUrl}/_edge/tenant_info`))
  })
})
