import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cqlPath, type Reply, requestCloud, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

const repeated = (name: string, values: (string | undefined)[]): string =>
  values.map((value = '') => `${name}=${encodeURIComponent(value)}`).join('&')

/** Requests that read many things at once. */
describe('batch reads of the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>

  before(async () => {
    wiki = await startWiki({ seed: 23, pages: 120, people: 130, comments: true })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())

  const ids = (reply: Reply): string[] => reply.json.results.map(({ id }: { id: string }) => id)
  const pagesOf = (spaceKey: string, status: string) =>
    truth.pages.filter((page) => page.kind === 'page' && page.status === status && page.spaceKey === spaceKey)

  test('it describes search results with address, icon and date on both sites', async () => {
    for (const get of [cloud, dc]) {
      const { json } = await get(
        `/rest/api/search?cql=${encodeURIComponent('space=ENG and type=page')}&limit=3`,
      )
      for (const row of json.results) {
        for (const field of [
          'title',
          'excerpt',
          'url',
          'breadcrumbs',
          'entityType',
          'iconCssClass',
          'lastModified',
        ])
          assert.ok(field in row, field)
        assert.equal(row.url, row.content._links.webui)
        assert.deepEqual(row.resultGlobalContainer, { title: 'Engineering', displayUrl: '/spaces/ENG' })
      }
    }
  })

  test('it continues a search by its next link, and searches archived spaces on request', async () => {
    const count = pagesOf('ENG', 'current').length
    for (const get of [cloud, dc]) {
      const found: string[] = []
      let path = `/rest/api/search?cql=${encodeURIComponent('space=ENG and type=page')}&limit=7`
      while (path !== undefined) {
        const { json } = await get(path)
        found.push(...json.results.map(({ content }: { content: { id: string } }) => content.id))
        path = json._links.next
      }
      assert.equal(new Set(found).size, count)
      assert.equal(found.length, count)
    }
    const archived = truth.spaces.find(({ status }) => status === 'archived')
    const total = async (more: string) =>
      (await cloud(`/rest/api/search?cql=type%3Dpage&limit=0${more}`)).json.totalSize
    const inArchive = pagesOf(archived?.key ?? '', 'current').length
    assert.equal(await total('&includeArchivedSpaces=true'), (await total('')) + inArchive)
    assert.equal(await total('&includeArchivedSpaces=true&excludeCurrentSpaces=true'), inArchive)
  })

  test('it searches archived pages of the Cloud with their status in cqlcontext', async () => {
    const archived = truth.pages.filter(({ kind, status }) => kind === 'page' && status === 'archived')
    const search = (statuses: string[], cql = 'type=page') =>
      cloud(
        cqlPath(
          cql,
          `&limit=250&cqlcontext=${encodeURIComponent(JSON.stringify({ contentStatuses: statuses }))}`,
        ),
      )
    const found = await search(['archived'])
    assert.deepEqual(
      ids(found),
      archived.map(({ id }) => id),
    )
    assert.ok(found.json.results.every(({ status }: { status: string }) => status === 'archived'))
    const both = await search(['current', 'archived'], 'space=ENG and type=page')
    assert.equal(both.json.size, pagesOf('ENG', 'current').length + pagesOf('ENG', 'archived').length)
    const page = archived[0]?.id ?? ''
    const file = await wiki.control.attach(page, { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' })
    assert.deepEqual(ids(await search(['current'], `container=${page}`)), [])
    const [item] = (await search(['archived'], `container=${page}`)).json.results
    assert.deepEqual([item.id, item.status], [file, 'archived'])
    assert.equal((await search(['lost'])).status, 400)
    assert.equal((await cloud(cqlPath('type=page', '&cqlcontext=archived'))).status, 400)
  })

  test('it returns up to 100 people of the Cloud in one request, with their operations', async () => {
    const people = truth.people.slice(0, 120)
    const query = repeated(
      'accountId',
      people.map(({ accountId }) => accountId),
    )
    const { json } = await cloud(`/rest/api/user/bulk?${query}&expand=operations`)
    assert.deepEqual(
      json.results.map(({ accountId }: { accountId: string }) => accountId),
      people.slice(0, 100).map(({ accountId }) => accountId),
    )
    for (const [at, { operations }] of json.results.entries())
      assert.equal(operations.length > 0, people[at]?.licensed && people[at]?.active)
    for (const field of ['profilePicture', '_expandable', '_links', 'type', 'email', 'publicName'])
      assert.ok(field in json.results[0], field)
    const missing = await cloud(`/rest/api/user/bulk?accountId=nobody&accountId=${people[0]?.accountId}`)
    assert.equal(missing.json.size, 1)
    assert.equal((await cloud('/rest/api/user/bulk')).status, 400)
  })

  test('it reads content of every type by ids on Data Center', async () => {
    const [page, other] = pagesOf('ENG', 'current')
    const trashed = truth.pages.find(({ status }) => status === 'trashed')
    const wanted = [other?.id, truth.comments[0]?.id, truth.attachments[0]?.id, page?.id]
    const query = repeated('ids', [...wanted, trashed?.id, '1'])
    assert.deepEqual(ids(await dc(`/rest/api/content?${query}`)), wanted)
    assert.deepEqual(ids(await dc(`/rest/api/content?${query}&status=any`)), [...wanted, trashed?.id])
    const secret = truth.shapes.appOnly
    assert.deepEqual(ids(await dc(`/rest/api/content?ids=${secret}`)), [secret])
    assert.deepEqual(ids(await dc(`/rest/api/content?ids=${secret}`, 'member')), [])
  })

  test('it reads several statuses on Data Center by repeating the parameter', async () => {
    const scan = async (query: string) =>
      ids(await dc(`/rest/api/content/scan?spaceKey=ENG&limit=500&${query}`))
    const statuses = ['current', 'archived', 'trashed']
    assert.deepEqual(
      (await scan('status=current&status=archived&status=trashed')).length,
      statuses.flatMap((status) => pagesOf('ENG', status)).length,
    )
    assert.equal(
      (await scan('status=any')).length,
      pagesOf('ENG', 'current').length + pagesOf('ENG', 'trashed').length,
    )
  })

  test('it scans comments of Data Center by cursor since 8.3', async () => {
    const expected = truth.comments.filter(
      ({ pageId }) => truth.pages.find(({ id }) => id === pageId)?.spaceKey === 'ENG',
    )
    const found: string[] = []
    let path = '/rest/api/content/scan?type=comment&spaceKey=ENG&limit=5&expand=container,version'
    while (path !== undefined) {
      const reply = await dc(path)
      found.push(...ids(reply))
      assert.ok(reply.json.results.every(({ type }: { type: string }) => type === 'comment'))
      path = reply.json._links.next
    }
    assert.deepEqual(
      found,
      expected.map(({ id }) => id),
    )
    await wiki.control.set({ dcVersion: '8.2.0' })
    assert.equal((await dc('/rest/api/content/scan?type=comment')).status, 400)
    await wiki.control.set({ dcVersion: '9.2.1' })
    assert.equal((await dc('/rest/api/content?type=comment')).status, 400)
  })
})
