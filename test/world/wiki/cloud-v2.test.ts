import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestCloud } from './ask.ts'
import { generateWiki } from './generator.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the v2 API of the simulated Cloud site', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>

  before(async () => {
    wiki = await startWiki({ seed: 5, pages: 300, spaces: 5 })
    get = requestCloud(wiki.cloudUrl)
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())

  const current = () => truth.pages.filter((page) => page.kind === 'page' && page.status === 'current')
  const spaceId = (key: string) => truth.spaces.find((space) => space.key === key)?.id
  const collect = async (first: string) => {
    const pages: { results: { id: string }[] }[] = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const { status, json } = await get(path)
      assert.equal(status, 200)
      pages.push(json)
      path = json._links.next?.replace(/^\/wiki/, '')
    }
    return { pages, ids: pages.flatMap((page) => page.results.map(({ id }) => id)) }
  }

  test('it lists 25 by default and 250 at most, and follows a relative cursor link to the end', async () => {
    assert.equal((await get('/api/v2/pages')).json.results.length, 25)
    const first = await get('/api/v2/pages?limit=250&status=current')
    assert.equal(first.json.results.length, 250)
    assert.match(first.json._links.next, /^\/wiki\/api\/v2\/pages\?.*cursor=/)
    assert.equal(first.json._links.base, wiki.cloudUrl)
    assert.equal(first.headers.get('link')?.split(';')[0], `<${first.json._links.next}>`)
    const { ids } = await collect('/api/v2/pages?limit=70&status=current')
    assert.deepEqual(
      ids,
      current().map(({ id }) => id),
    )
  })

  test('it returns earlier versions of a page by number, and a list of all', async () => {
    const id = await wiki.control.createPage({ space: 'ENG', title: 'First', body: '<p>one</p>' })
    const page = { id, title: 'First' }
    const before = 1
    await wiki.control.editPage(page.id, { title: 'Second', body: '<p>two</p>' })
    await wiki.control.editPage(page.id, { body: '<p>three</p>' })
    const at = (number: number) => get(`/api/v2/pages/${page.id}?version=${number}&body-format=storage`)
    const second = await at(before + 1)
    assert.deepEqual(
      [second.json.status, second.json.title, second.json.body.storage.value, second.json.version.number],
      ['historical', 'Second', '<p>two</p>', before + 1],
    )
    assert.deepEqual(
      [(await at(before)).json.title, (await at(before + 2)).json.status],
      [page.title, 'current'],
    )
    assert.deepEqual([(await at(before + 3)).status, (await at(0)).status], [404, 404])
    const { json } = await get(`/api/v2/pages/${page.id}/versions?body-format=storage&limit=2`)
    assert.deepEqual(
      json.results.map((each: { number: number; page: { body: { storage: { value: string } } } }) => [
        each.number,
        each.page.body.storage.value,
      ]),
      [
        [before + 2, '<p>three</p>'],
        [before + 1, '<p>two</p>'],
      ],
    )
    assert.ok(json._links.next)
    await wiki.control.deletePage(id)
  })

  test('it generates exactly the requested number of current pages', () => {
    const archived = truth.spaces.filter((space) => space.status === 'archived').map(({ id }) => id)
    assert.equal(current().filter((page) => !archived.includes(page.spaceId)).length, 300)
  })

  test('it answers 400 to a limit that is not 1 to 250, and to an unknown cursor', async () => {
    for (const query of ['limit=0', 'limit=-1', 'limit=251', 'limit=abc', 'cursor=nonsense']) {
      const { status, json } = await get(`/api/v2/pages?${query}`)
      assert.equal(status, 400, query)
      assert.deepEqual(Object.keys(json.errors[0]), ['status', 'code', 'title', 'detail'])
      assert.equal(json.errors[0].status, 400)
    }
  })

  test('it returns only stored formats in lists', async () => {
    for (const format of ['view', 'export_view', 'styled_view', 'editor', 'nonsense']) {
      assert.equal((await get(`/api/v2/pages?body-format=${format}`)).status, 400, format)
    }
    const { json } = await get('/api/v2/pages?limit=1&body-format=storage')
    assert.equal(json.results[0].body.storage.representation, 'storage')
    const adf = await get('/api/v2/pages?limit=1&body-format=atlas_doc_format')
    assert.equal(JSON.parse(adf.json.results[0].body.atlas_doc_format.value).type, 'doc')
  })

  test('it returns every format of a single page, with labels on request', async () => {
    const page = current().find((each) => each.labels.length > 0)
    for (const format of [
      'view',
      'export_view',
      'anonymous_export_view',
      'styled_view',
      'editor',
      'storage',
    ]) {
      const { json } = await get(`/api/v2/pages/${page?.id}?body-format=${format}`)
      assert.ok(json.body[format].value.length > 100, format)
    }
    const { json } = await get(`/api/v2/pages/${page?.id}?include-labels=true`)
    assert.deepEqual(
      json.labels.results.map(({ name }: { name: string }) => name),
      page?.labels,
    )
    assert.equal(json.version.number, page?.version)
    assert.deepEqual(json.body, {})
  })

  test('it lists current and archived pages by default, and trash on request', async () => {
    const count = async (query: string) => (await collect(`/api/v2/pages?limit=250${query}`)).ids.length
    const of = (status: string) =>
      truth.pages.filter((page) => page.kind === 'page' && page.status === status).length
    assert.ok(of('archived') > 0 && of('trashed') > 0 && of('draft') > 0)
    assert.equal(await count(''), of('current') + of('archived'))
    assert.equal(await count('&status=current'), of('current'))
    assert.equal(await count('&status=archived'), of('archived'))
    assert.equal(await count('&status=trashed'), of('trashed'))
    assert.equal((await get('/api/v2/pages?status=nonsense')).status, 400)
  })

  test('it answers 404 for trashed and draft pages unless requested', async () => {
    const trashed = truth.pages.find((page) => page.status === 'trashed')?.id
    assert.equal((await get(`/api/v2/pages/${trashed}`)).status, 404)
    assert.equal((await get(`/api/v2/pages/${trashed}?status=trashed`)).json.status, 'trashed')
    const draft = truth.pages.find((page) => page.status === 'draft')?.id
    assert.equal((await get(`/api/v2/pages/${draft}`)).status, 404)
    assert.equal((await get(`/api/v2/pages/${draft}?get-draft=true`)).status, 200)
    const missing = await get('/api/v2/pages/1')
    assert.deepEqual(missing.json, {
      errors: [{ status: 404, code: 'NOT_FOUND', title: 'Not Found', detail: null }],
    })
  })

  test('it filters by at most 250 ids and 100 spaces, by title, and sorts both ways', async () => {
    const [one, two] = current()
    const byId = await get(`/api/v2/pages?id=${one?.id},${two?.id}`)
    assert.deepEqual(
      byId.json.results.map(({ id }: { id: string }) => id),
      [one?.id, two?.id],
    )
    const many = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(',')
    assert.equal((await get(`/api/v2/pages?id=${many(251)}`)).status, 400)
    assert.equal((await get(`/api/v2/pages?id=${many(250)}`)).status, 200)
    assert.equal((await get(`/api/v2/pages?space-id=${many(101)}`)).status, 400)
    const eng = await collect(`/api/v2/pages?space-id=${spaceId('ENG')}&limit=100&status=current`)
    assert.deepEqual(
      eng.ids,
      current()
        .filter((page) => page.spaceKey === 'ENG')
        .map(({ id }) => id),
    )
    const { ids } = await collect('/api/v2/pages?status=current&sort=-modified-date&limit=50')
    const times = ids.map((id) => current().find((page) => page.id === id)?.modifiedAt ?? '')
    assert.deepEqual(times, times.toSorted().reverse())
    assert.equal(new Set(ids).size, current().length)
    assert.equal((await get('/api/v2/pages?sort=nonsense')).status, 400)
    assert.equal(
      (await get(`/api/v2/pages?title=${encodeURIComponent(one?.title ?? '')}`)).json.results[0].id,
      one?.id,
    )
  })

  test('it keeps its position when pages before the cursor change', async () => {
    const first = await get('/api/v2/pages?limit=5&status=current')
    const extra = await wiki.control.createPage({ space: 'ENG', title: 'Made meanwhile' })
    await wiki.control.trashPage(first.json.results[4].id)
    const second = await get(first.json._links.next.replace(/^\/wiki/, ''))
    assert.equal(second.json.results[0].id, current()[5]?.id)
    await wiki.control.restorePage(first.json.results[4].id)
    await wiki.control.deletePage(extra)
    truth = await wiki.control.truth()
  })

  test('it lists the pages of a space at every depth or at its root', async () => {
    const id = spaceId('ENG')
    const all = await collect(`/api/v2/spaces/${id}/pages?limit=250&status=current`)
    assert.deepEqual(
      all.ids,
      current()
        .filter((page) => page.spaceKey === 'ENG')
        .map((page) => page.id),
    )
    const root = await get(`/api/v2/spaces/${id}/pages?depth=root&status=current`)
    assert.deepEqual(
      root.json.results.map((page: { id: string }) => page.id),
      current()
        .filter((page) => page.spaceKey === 'ENG' && page.parentId === null)
        .map((page) => page.id),
    )
    assert.equal((await get('/api/v2/spaces/1/pages')).status, 404)
  })

  test('it lists spaces by id, key, type and status', async () => {
    const { json } = await get('/api/v2/spaces?keys=ENG,HR&limit=1')
    assert.equal(json.results[0].key, 'ENG')
    assert.match(json._links.next, /^\/wiki\/api\/v2\/spaces\?/)
    const keys = async (query: string) =>
      (await get(`/api/v2/spaces?${query}`)).json.results.map(({ key }: { key: string }) => key)
    assert.match((await keys('type=personal'))[0], /^~/)
    assert.equal((await keys('status=archived')).length, 1)
    assert.deepEqual(await keys(`ids=${spaceId('ENG')}`), ['ENG'])
    assert.deepEqual(await keys('keys=NOPE'), [])
    assert.equal(
      (await get(`/api/v2/spaces/${spaceId('ENG')}`)).json.homepageId,
      truth.spaces.find(({ key }) => key === 'ENG')?.homepageId,
    )
  })

  test('it returns ancestors from the top with folders, and folders by id', async () => {
    const page = truth.shapes.underFolder
    const folder = truth.shapes.restrictedFolder ?? ''
    const home = truth.spaces.find(({ key }) => key === 'ENG')?.homepageId
    const { json } = await get(`/api/v2/pages/${page}/ancestors`)
    assert.deepEqual(json.results, [
      { id: home, type: 'page' },
      { id: folder, type: 'folder' },
    ])
    assert.equal((await get(`/api/v2/folders/${folder}`)).json.type, 'folder')
    assert.equal((await get(`/api/v2/pages/${folder}`)).status, 404)
    assert.equal((await get(`/api/v2/pages/${page}`)).json.parentType, 'folder')
  })

  test('it walks descendants to a depth of ten and no further', async () => {
    const home = truth.spaces.find(({ key }) => key === 'ENG')?.homepageId
    const { ids } = await collect(`/api/v2/pages/${home}/descendants?depth=10&limit=250`)
    const below = truth.pages.filter(
      (page) => page.spaceKey === 'ENG' && page.status === 'current' && page.parentId !== null,
    )
    assert.deepEqual(
      ids,
      below.map(({ id }) => id),
    )
    assert.equal((await get(`/api/v2/pages/${home}/descendants?depth=11`)).status, 400)
  })

  test('it lists attachments 50 at a time by default', async () => {
    const page = current()[3]?.id ?? ''
    for (let at = 0; at < 55; at++)
      await wiki.control.attach(page, { title: `file ${at}.txt`, mediaType: 'text/plain', base64: 'aGk=' })
    const { json } = await get(`/api/v2/pages/${page}/attachments`)
    assert.equal(json.results.length, 50)
    assert.ok((await collect(`/api/v2/pages/${page}/attachments?limit=20`)).ids.length >= 55)
    assert.equal(
      (await get(`/api/v2/attachments/${json.results[0].id}`)).json.fileSize,
      json.results[0].fileSize,
    )
    assert.match(json.results[0].downloadLink, /^\/download\/attachments\//)
  })

  test('it pages space permissions by 25, with users, groups and access classes', async () => {
    const { pages, ids } = await collect(`/api/v2/spaces/${spaceId('ENG')}/permissions`)
    const rows = truth.spaces.find(({ key }) => key === 'ENG')?.permissions ?? []
    assert.equal(ids.length, rows.length)
    assert.ok(rows.length > 25 && pages.length === Math.ceil(rows.length / 25))
    const types = new Set(rows.map(({ principal }) => principal.type))
    assert.deepEqual([...types].sort(), ['access-class', 'group', 'user'])
  })

  test('it returns the permissions of a space with roles as assignments, in each mode', async () => {
    const space = truth.spaces.find((each) => each.usesRoles)
    assert.equal((await get('/api/v2/space-role-mode')).json.mode, 'ROLES_TRANSITION')
    const assignments = await get(`/api/v2/spaces/${space?.id}/role-assignments`)
    assert.deepEqual(assignments.json.results[0], {
      principal: { principalType: 'ACCESS_CLASS', principalId: 'all-licensed-users' },
      roleId: 'r-viewer',
    })
    const roles = (await get('/api/v2/space-roles')).json.results
    assert.deepEqual(roles[0].spacePermissions, ['VIEW_CONTENT'])
    const rows = (await get(`/api/v2/spaces/${space?.id}/permissions?limit=250`)).json.results
    assert.ok(rows.every((row: { principal: { type: string } }) => row.principal.type === 'role'))
    assert.deepEqual((await get(`/api/v2/spaces/${spaceId('ENG')}/role-assignments`)).json.results, [])
    await wiki.control.set({ roleMode: 'ROLES' })
    assert.ok((await get(`/api/v2/spaces/${spaceId('ENG')}/role-assignments`)).json.results.length > 0)
    await wiki.control.set({ roleMode: 'PRE_ROLES' })
    assert.deepEqual((await get(`/api/v2/spaces/${space?.id}/role-assignments`)).json.results, [])
    await wiki.control.set({ roleMode: 'ROLES_TRANSITION' })
  })

  test('it gives blog posts their own list and comments an empty one', async () => {
    assert.equal((await get('/api/v2/blogposts')).json.results.length, 2)
    assert.deepEqual((await get(`/api/v2/pages/${current()[0]?.id}/footer-comments`)).json.results, [])
  })

  test('it writes bodies of about 11 KB, the same for the same seed', async () => {
    const sizes: number[] = []
    for (const page of current().slice(0, 60))
      sizes.push((await wiki.control.view(page.id, 'crawler'))?.length ?? 0)
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
    assert.ok(mean > 8_000 && mean < 15_000, String(mean))
    const again = generateWiki({ seed: 5, pages: 300, spaces: 5 })
    const id = current()[20]?.id ?? ''
    assert.deepEqual(await wiki.control.body(id), again.nodes.get(id)?.body)
  })
})
