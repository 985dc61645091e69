import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cqlPath, type Reply, requestCloud, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('blog posts, archived pages and search in the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>
  let post: string

  before(async () => {
    wiki = await startWiki({ seed: 23, pages: 120, comments: true })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    post = await wiki.control.createPage({
      space: 'ENG',
      title: 'We moved',
      kind: 'blogpost',
      body: '<p>Boxes everywhere.</p>',
      labels: ['news'],
    })
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())

  const ids = (reply: Reply): string[] => reply.json.results.map(({ id }: { id: string }) => id)
  const search = (cql: string, rest = '&limit=250') => cloud(cqlPath(cql, rest))
  const posts = () => truth.pages.filter(({ kind }) => kind === 'blogpost').map(({ id }) => id)
  const spaceId = () => truth.spaces.find(({ key }) => key === 'ENG')?.id

  test('it lists blog posts by space, id and status, and returns every format and the labels', async () => {
    assert.deepEqual(ids(await cloud('/api/v2/blogposts')), posts())
    const ofSpace = truth.pages.filter(({ kind, spaceKey }) => kind === 'blogpost' && spaceKey === 'ENG')
    for (const path of [`/api/v2/spaces/${spaceId()}/blogposts`, `/api/v2/blogposts?space-id=${spaceId()}`])
      assert.deepEqual(
        ids(await cloud(path)),
        ofSpace.map(({ id }) => id),
      )
    assert.deepEqual(ids(await cloud(`/api/v2/blogposts?id=${post}&body-format=storage`)), [post])
    assert.equal((await cloud('/api/v2/blogposts?body-format=view')).status, 400)
    const { json } = await cloud(`/api/v2/blogposts/${post}?body-format=view&include-labels=true`)
    assert.deepEqual(
      [json.body.view.value, json.labels.results[0].name],
      ['<p>Boxes everywhere.</p>', 'news'],
    )
    assert.ok(!('parentId' in json))
    assert.match(json._links.webui, /^\/spaces\/ENG\/blog\/\d{4}\/\d\d\/\d\d\/\d+\/We\+moved$/)
    assert.equal((await cloud(`/api/v2/blogposts/${post}/labels`)).json.results[0].name, 'news')
    assert.equal((await cloud(`/api/v2/pages/${post}`)).status, 404)
  })

  test('it finds blog posts on both sites, without ancestors, with restrictions of their own', async () => {
    assert.deepEqual(ids(await search('type = blogpost')), posts())
    for (const path of [
      'content?type=blogpost',
      'content/scan?type=blogpost',
      'content/search?cql=type%3Dblogpost',
    ])
      assert.deepEqual(ids(await dc(`/rest/api/${path}&limit=100`)), posts(), path)
    await wiki.control.restrict(post, { read: { users: ['somebody'] } })
    const [item] = (
      await search(`id=${post}`, '&expand=ancestors,metadata.labels,restrictions.read.restrictions.user')
    ).json.results
    assert.deepEqual([item.type, item.ancestors, item.metadata.labels.size], ['blogpost', [], 1])
    assert.equal(item.restrictions.read.restrictions.user.size, 1)
    assert.equal((await cloud(`/api/v2/blogposts/${post}`, 'member')).status, 404)
    const readers = await wiki.control.readers('cloud', ['blogpost'])
    assert.deepEqual(Object.keys(readers), posts())
    assert.deepEqual(readers[post], [])
    await wiki.control.restrict(post, { read: {} })
  })

  test('it lists archived pages by status on both sites', async () => {
    const archived = truth.pages.filter(({ kind, status }) => kind === 'page' && status === 'archived')
    const expected = archived.map(({ id }) => id)
    assert.ok(expected.length > 0)
    assert.deepEqual(ids(await cloud('/api/v2/pages?status=archived&limit=250')), expected)
    for (const path of ['content', 'content/scan'])
      assert.deepEqual(ids(await dc(`/rest/api/${path}?type=page&status=archived&limit=200`)), expected, path)
  })

  test('it finds content of each kind, or of all kinds', async () => {
    const count = async (cql: string) => (await search(cql, '&limit=250')).json.size
    const [files, said] = [
      await count('space=ENG and type=attachment'),
      await count('space=ENG and type=comment'),
    ]
    assert.ok(files > 0 && said > 0)
    const pages = await count('space=ENG and type in (page, blogpost, folder)')
    assert.equal(
      await count('space=ENG and type in (page, blogpost, folder, comment, attachment)'),
      pages + files + said,
    )
    assert.equal(await count('space=ENG'), pages + files + said)
    assert.equal(await count('space=ENG and type != attachment'), pages + said)
  })

  test('it understands labels, quoted and personal spaces, titles, text, ancestors, creators and dates', async () => {
    const eng = truth.pages.filter(
      ({ kind, status, spaceKey }) => kind === 'page' && status === 'current' && spaceKey === 'ENG',
    )
    const same = async (cql: string, wanted: (page: (typeof eng)[number]) => boolean) =>
      assert.deepEqual(
        ids(await search(`type=page and space="ENG" and ${cql}`)),
        eng.filter(wanted).map(({ id }) => id),
        cql,
      )
    await same('label = kb', ({ labels }) => labels.includes('kb'))
    await same('label != kb', ({ labels }) => !labels.includes('kb'))
    await same('label in (kb, howto)', ({ labels }) => labels.includes('kb') || labels.includes('howto'))
    await same(
      'label not in ("kb", howto)',
      ({ labels }) => !labels.includes('kb') && !labels.includes('howto'),
    )
    await same('title ~ "shape"', ({ title }) => title.toLowerCase().includes('shape'))
    const home = truth.spaces.find(({ key }) => key === 'ENG')?.homepageId
    await same(`ancestor = ${home}`, ({ id }) => id !== home)
    const author = eng[3]?.authorId ?? ''
    await same(`creator = "${author}"`, ({ authorId }) => authorId === author)
    await same('created < "2025-07-01"', ({ createdAt }) => createdAt < '2025-07-01')
    await same('lastmodified >= "2026-02-01 00:00"', ({ modifiedAt }) => modifiedAt >= '2026-02-01')
    const personal = truth.spaces.find(({ type }) => type === 'personal')?.key
    assert.ok((await search(`space in ("${personal}") and type=page`)).json.size > 0)
    assert.equal((await search(`space = ${personal}`)).status, 400)
    assert.deepEqual(ids(await search('type=blogpost and text ~ "boxes everywhere"')), [post])
    const person = truth.people.find(({ accountId }) => accountId === author)
    assert.ok((await dc(cqlPath(`type=page and creator = ${person?.username}`))).json.size > 0)
  })

  test('it refuses a negative first clause, and narrows only by the query', async () => {
    for (const cql of ['label != kb', 'not type = page', 'id not in (1)'])
      assert.equal((await search(cql)).status, 400, cql)
    const [one, two] = truth.pages.filter(
      ({ kind, status, spaceKey }) => kind === 'page' && status === 'current' && spaceKey === 'ENG',
    )
    assert.deepEqual(ids(await search(`id=${one?.id} or title="${two?.title}" and space=ENG`)), [
      one?.id,
      two?.id,
    ])
    const comment = truth.comments.find(({ pageId }) => truth.pages.some((each) => each.id === pageId))
    const either = `(container = ${comment?.pageId} and type=comment) or id = ${one?.id}`
    assert.ok(ids(await search(either)).includes(comment?.id ?? ''))
    assert.ok(ids(await search(either)).includes(one?.id ?? ''))
  })

  test('it pages through attachments and comments by cursor', async () => {
    const all = ids(await search('type in (attachment, comment)'))
    const found: string[] = []
    let path = cqlPath('type in (attachment, comment)', '&limit=7')
    for (;;) {
      const reply = await cloud(path)
      found.push(...ids(reply))
      if (reply.json._links.next === undefined) break
      path = reply.json._links.next
    }
    assert.deepEqual(found, all)
  })
})
