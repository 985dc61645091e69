import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { bearer, cqlPath, fetchReply, requestCloud, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the attachments of the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let page: string

  before(async () => {
    wiki = await startWiki({ seed: 21, pages: 60 })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    page = await wiki.control.createPage({ space: 'ENG', title: 'With files' })
  })
  after(() => wiki.stop())

  const text = (value: string) => Buffer.from(value).toString('base64')
  const plain = { mediaType: 'text/plain', base64: text('hello') }
  const versionOfPage = async () => (await cloud(`/api/v2/pages/${page}`)).json.version.number
  const fetched = async (path: string) => {
    const { headers } = await cloud(path)
    return fetchReply(headers.get('location') ?? '')
  }

  test('it nests attachments in a page with a limit, versions only if expanded', async () => {
    const many = await wiki.control.createPage({ space: 'ENG', title: 'Many files' })
    for (let at = 0; at < 28; at++) await wiki.control.attach(many, { ...plain, title: `file ${at}.txt` })
    const search = cqlPath(`id=${many}`, '&expand=children.attachment')
    const scan = '/rest/api/content/scan?spaceKey=ENG&limit=200&expand=children.attachment'
    const lists = [
      (await cloud(search)).json.results[0],
      (await dc(search)).json.results[0],
      (await dc(`/rest/api/content/${many}?expand=children.attachment`)).json,
      (await dc(scan)).json.results.find((each: { id: string }) => each.id === many),
    ].map((item) => item.children.attachment)
    for (const list of lists) {
      assert.deepEqual([list.start, list.limit, list.size, list.results.length], [0, 25, 25, 25])
      assert.match(list._links.next, new RegExp(`^/rest/api/content/${many}/child/attachment\\?.*start=25`))
      assert.equal(list.results[0].version, undefined)
      assert.equal(list.results[0].extensions.fileSize, 5)
    }
    const rest = await dc(`${lists[1]._links.next}&expand=version,container,history`)
    assert.equal(rest.json.size, 3)
    assert.equal(rest.json.results[0].version.number, 1)
    assert.equal(rest.json.results[0].container.id, many)
    await wiki.control.set({ nestedChildren: 2 })
    const [item] = (await cloud(cqlPath(`id=${many}`, '&expand=children.attachment.version'))).json.results
    assert.deepEqual(
      [item.children.attachment.size, item.children.attachment.results[0].version.number],
      [2, 1],
    )
    await wiki.control.set({ nestedChildren: 25 })
  })

  test('it filters the attachments of v2 by name, type and status, and names the page or the blog post', async () => {
    const pdf = await wiki.control.attach(page, { ...plain, title: 'a.pdf', mediaType: 'application/pdf' })
    await wiki.control.attach(page, { ...plain, title: 'b.txt' })
    const ids = async (query: string) =>
      (await cloud(`/api/v2/pages/${page}/attachments?${query}`)).json.results.map(
        (each: { id: string }) => each.id,
      )
    assert.deepEqual(await ids('filename=a.pdf'), [pdf])
    assert.deepEqual(await ids('mediaType=application/pdf'), [pdf])
    assert.equal((await ids('')).length, 2)
    const { json } = await cloud(`/api/v2/attachments/${pdf}`)
    assert.deepEqual(
      [json.pageId, json.blogPostId, json.status, json.fileSize],
      [page, undefined, 'current', 5],
    )
    assert.ok(json.webuiLink && json.downloadLink && json.fileId && json.version.number === 1)
    const post = await wiki.control.createPage({ space: 'ENG', title: 'Post with file', kind: 'blogpost' })
    const there = await wiki.control.attach(post, { ...plain, title: 'c.txt' })
    const [listed] = (await cloud(`/api/v2/blogposts/${post}/attachments`)).json.results
    assert.deepEqual([listed.id, listed.blogPostId, listed.pageId], [there, post, undefined])
    await wiki.control.trashAttachment(pdf)
    assert.equal((await ids('')).length, 1)
    assert.deepEqual(await ids('status=trashed'), [pdf])
    assert.equal((await ids('filename=a.pdf')).length, 0)
    assert.equal((await cloud(`/api/v2/attachments/${pdf}`)).status, 404)
    assert.equal((await cloud(`/rest/api/content/${page}/child/attachment/${pdf}/download`)).status, 404)
    assert.equal((await dc(`/rest/api/content/${pdf}`)).status, 404)
    assert.equal((await dc(`/rest/api/content/${page}/child/attachment`)).json.size, 1)
    const everywhere = await cloud('/api/v2/attachments?filename=c.txt')
    assert.deepEqual(
      everywhere.json.results.map((each: { id: string }) => each.id),
      [there],
    )
  })

  test('it creates a version for a second upload, keeps the first, and does not change the page version', async () => {
    const before = await versionOfPage()
    const id = await wiki.control.attach(page, { ...plain, title: 'notes.txt' })
    assert.equal(
      await wiki.control.attach(page, { ...plain, title: 'notes.txt', base64: text('second') }),
      id,
    )
    assert.equal(await wiki.control.updateAttachment(id, { base64: text('third!!') }), 3)
    assert.equal((await cloud(`/api/v2/attachments/${id}`)).json.version.number, 3)
    const download = `/rest/api/content/${page}/child/attachment/${id}/download`
    assert.equal((await fetched(download)).text, 'third!!')
    assert.equal((await fetched(`${download}?version=1`)).text, 'hello')
    assert.equal((await fetched(download.replace(id, id.slice(3)))).text, 'third!!')
    for (const version of ['9', '0', 'latest'])
      assert.equal((await cloud(`${download}?version=${version}`)).status, 400, version)
    const twin = await wiki.control.attach(page, { ...plain, title: 'notes.txt', twice: true })
    assert.notEqual(twin, id)
    const other = await wiki.control.createPage({ space: 'ENG', title: 'Elsewhere' })
    await wiki.control.moveAttachment(twin, other)
    assert.equal((await cloud(`/api/v2/attachments/${twin}`)).json.pageId, other)
    assert.equal((await cloud(`/api/v2/pages/${other}/attachments`)).json.results.length, 1)
    assert.equal(await wiki.control.removeAttachment(twin), true)
    assert.equal((await cloud(`/api/v2/pages/${other}/attachments`)).json.results.length, 0)
    assert.equal(await versionOfPage(), before)
  })

  test('it downloads attachments of archived and trashed pages only with their status', async () => {
    for (const status of ['archived', 'trashed'] as const) {
      const container = await wiki.control.createPage({ space: 'ENG', title: `To be ${status}` })
      const id = await wiki.control.attach(container, { ...plain, title: 'old.txt' })
      const download = `/rest/api/content/${container}/child/attachment/${id}/download`
      assert.equal((await cloud(`${download}?status=${status}`)).status, 404)
      await wiki.control[status === 'archived' ? 'archivePage' : 'trashPage'](container)
      assert.equal((await cloud(download)).status, 404)
      assert.equal((await cloud(`${download}?status=current`)).status, 404)
      assert.equal((await fetched(`${download}?status=${status}`)).text, 'hello')
      assert.equal((await fetched(`${download}?status=current&status=${status}`)).text, 'hello')
      assert.equal((await cloud(`${download}?status=${status}&version=2`)).status, 400)
    }
  })

  test('it accepts any title and serves it on Data Center to readers of the page', async () => {
    for (const title of ['../../etc/passwd', 'no suffix', 'räksmörgås & co.txt', '100%.txt']) {
      const id = await wiki.control.attach(page, { ...plain, title })
      const { json } = await dc(`/rest/api/content/${id}?expand=container,space,version`)
      assert.deepEqual(
        [json.title, json.type, json.container.id, json.space.key],
        [title, 'attachment', page, 'ENG'],
      )
      assert.equal((await dc(json._links.download)).text, 'hello', title)
      const named = await dc(
        `/rest/api/content/${page}/child/attachment?filename=${encodeURIComponent(title)}`,
      )
      assert.deepEqual([named.json.size, named.json.results[0].id], [1, id])
    }
    const closed = await wiki.control.createPage({ space: 'ENG', title: 'Closed' })
    await wiki.control.restrict(closed, { read: { users: ['somebody'] } })
    const picture = await wiki.control.attach(closed, { ...plain, title: 'x.png', mediaType: 'image/png' })
    const path = `/download/thumbnails/${closed}/x.png`
    assert.deepEqual([(await dc(path)).status, (await dc(path, 'member')).status], [200, 404])
    assert.equal((await dc(`/rest/api/content/${picture}`, 'member')).status, 404)
    const login = await fetchReply(`${wiki.dataCenterUrl}${path}`)
    assert.equal(login.status, 302)
    assert.match(login.headers.get('location') ?? '', /\/confluence\/login\.action\?os_destination=/)
    assert.match((await fetchReply(login.headers.get('location') ?? '')).text, /loginform/)
    const wrong = { headers: bearer('wrong') }
    assert.equal((await fetchReply(`${wiki.dataCenterUrl}${path}`, wrong)).status, 302)
    await wiki.control.set({ dcVisitors: false })
    assert.equal((await fetchReply(`${wiki.dataCenterUrl}${path}`, wrong)).status, 401)
    await wiki.control.set({ dcVisitors: true })
    await wiki.control.set({ dcDownloadUnauthorized: 401 })
    assert.equal((await fetchReply(`${wiki.dataCenterUrl}${path}`)).status, 401)
    await wiki.control.set({ dcDownloadUnauthorized: 302 })
    for (const kind of ['attachments', 'thumbnails'])
      assert.equal((await cloud(`/download/${kind}/${closed}/x.png`)).status, 401)
  })

  test('it finds attachments by search, but none that changed while the index lags', async () => {
    const id = await wiki.control.attach(page, { ...plain, title: 'found.txt' })
    const search = async (cql: string) =>
      (await cloud(cqlPath(cql, '&expand=version,container&limit=100'))).json.results
    assert.deepEqual(
      (await search('type = attachment and title = "found.txt"')).map((each: { id: string }) => each.id),
      [id],
    )
    const onPage = await search(`container = ${page} and type = attachment`)
    assert.ok(onPage.every((each: { container: { id: string } }) => each.container.id === page))
    await wiki.control.holdSearch()
    await wiki.control.updateAttachment(id, { base64: '' })
    assert.equal((await search(`id = ${id}`)).length, 0)
    assert.equal((await search(`id = ${page}`)).length, 1)
    await wiki.control.releaseSearch()
    assert.equal((await search(`id = ${id}`))[0].version.number, 2)
  })

  test('it streams 3 GB without storing it, stops when the client disconnects, and counts sent bytes', async () => {
    const size = 3 * 1024 ** 3
    const id = await wiki.control.attachHuge(page, { title: 'huge.pdf', mediaType: 'application/pdf', size })
    assert.equal((await cloud(`/api/v2/attachments/${id}`)).json.fileSize, size)
    const { headers } = await cloud(`/rest/api/content/${page}/child/attachment/${id}/download`)
    const places = [
      { site: 'media', url: headers.get('location') ?? '', headers: {} },
      {
        site: 'dataCenter',
        url: `${wiki.dataCenterUrl}/download/attachments/${page}/huge.pdf`,
        headers: bearer(accounts.crawler.pat),
      },
    ] as const
    for (const place of places) {
      await wiki.control.resetCounts()
      const stop = new AbortController()
      const response = await fetch(place.url, { headers: place.headers, signal: stop.signal })
      assert.equal(Number(response.headers.get('content-length')), size)
      const reader = response.body?.getReader()
      const first = await reader?.read()
      assert.equal(
        Buffer.from(first?.value ?? [])
          .subarray(0, 5)
          .toString(),
        '%PDF-',
      )
      stop.abort()
      let request: { bytes: number } | undefined
      while (request === undefined) [request] = await wiki.control.requests()
      assert.ok(request.bytes > 0 && request.bytes < 100_000_000, String(request.bytes))
      assert.equal((await wiki.control.counts()).sites[place.site].bytesOut, request.bytes)
    }
  })

  test('it sends every byte of a large file', async () => {
    const size = 5_000_001
    await wiki.control.attachHuge(page, { title: 'long.txt', mediaType: 'text/plain', size })
    await wiki.control.resetCounts()
    const { text: read } = await dc(`/download/attachments/${page}/long.txt`)
    assert.equal(Buffer.byteLength(read), size)
    assert.equal((await wiki.control.counts()).bytesOut, size)
  })
})
