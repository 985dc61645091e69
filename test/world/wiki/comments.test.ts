import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cqlPath, type Reply, requestCloud, requestDataCenter } from './ask.ts'
import { generateWiki } from './generator.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the comments of the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let page: string
  let [footer, inline, reply, deep]: string[] = []

  before(async () => {
    wiki = await startWiki({ seed: 22, pages: 60 })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    const { createPage, addComment } = wiki.control
    page = await createPage({
      space: 'ENG',
      title: 'Talked about',
      body: '<p>Turn the red handle twice.</p>',
    })
    footer = await addComment(page, { body: '<p>Thanks</p>' })
    inline = await addComment(page, {
      body: '<p>Which one?</p>',
      location: 'inline',
      selection: 'red handle',
    })
    reply = await addComment(page, { body: '<p>The left</p>', parentId: inline })
    deep = await addComment(page, { body: '<p>Ah</p>', parentId: reply })
  })
  after(() => wiki.stop())

  const ids = (reply: Reply): string[] => reply.json.results.map(({ id }: { id: string }) => id)

  test('it lists the roots of a page in v2, and replies as children', async () => {
    const roots = await cloud(`/api/v2/pages/${page}/footer-comments?body-format=storage`)
    assert.deepEqual(ids(roots), [footer])
    assert.deepEqual(
      [roots.json.results[0].pageId, roots.json.results[0].body.storage.value],
      [page, '<p>Thanks</p>'],
    )
    const [item] = (await cloud(`/api/v2/pages/${page}/inline-comments`)).json.results
    assert.deepEqual([item.id, item.resolutionStatus, item.body], [inline, 'open', {}])
    assert.equal(item.properties.inlineOriginalSelection, 'red handle')
    const children = await cloud(`/api/v2/inline-comments/${inline}/children`)
    assert.deepEqual(ids(children), [reply])
    assert.deepEqual(
      [children.json.results[0].parentCommentId, children.json.results[0].pageId],
      [inline, undefined],
    )
    assert.deepEqual(ids(await cloud(`/api/v2/inline-comments/${reply}/children`)), [deep])
    assert.deepEqual(ids(await cloud('/api/v2/footer-comments')), [footer])
    assert.deepEqual(ids(await cloud('/api/v2/inline-comments')), [inline, reply, deep])
    assert.equal((await cloud(`/api/v2/footer-comments/${inline}/children`)).status, 404)
    assert.equal((await cloud(`/api/v2/pages/${page}/footer-comments?body-format=view`)).status, 400)
    assert.equal((await cloud(`/api/v2/footer-comments/${footer}?body-format=view`)).status, 200)
  })

  test('it finds comments by container, with parent and page', async () => {
    const expand =
      '&expand=body.view,version,container,ancestors,history,extensions.resolution,extensions.inlineProperties'
    for (const get of [cloud, dc]) {
      const all = await get(cqlPath(`type = comment and container in (${page}, 1)`, expand))
      assert.deepEqual(ids(all), [footer, inline, reply, deep])
      const [first, second, , last] = all.json.results
      assert.deepEqual([first.extensions.location, first.extensions.resolution], ['footer', {}])
      assert.equal(second.extensions.resolution.status, 'open')
      assert.equal(second.extensions.inlineProperties.originalSelection, 'red handle')
      assert.deepEqual(
        last.ancestors.map(({ id }: { id: string }) => id),
        [inline, reply],
      )
      assert.deepEqual(
        [last.container.id, last.body.view.value, last.title],
        [page, '<p>Ah</p>', 'Re: Talked about'],
      )
      const bare = (await get(cqlPath(`type=comment and container=${page}`))).json.results[1]
      assert.deepEqual([bare.version, bare.container, bare.ancestors], [undefined, undefined, undefined])
      assert.deepEqual(bare.extensions, {
        location: 'inline',
        _expandable: { resolution: '', inlineProperties: '' },
      })
    }
  })

  test('it lists comments of Data Center by depth and location, and nests them in the page', async () => {
    const list = async (query: string) => ids(await dc(`/rest/api/content/${page}/child/comment?${query}`))
    assert.deepEqual(await list(''), [footer, inline])
    assert.deepEqual(await list('depth=all'), [footer, inline, reply, deep])
    assert.deepEqual(await list('depth=all&location=inline'), [inline, reply, deep])
    assert.deepEqual(await list('location=footer&location=inline'), [footer, inline])
    await wiki.control.resolveComment(inline ?? '')
    assert.deepEqual(await list('location=inline'), [])
    assert.deepEqual(await list('location=resolved'), [inline])
    await wiki.control.resolveComment(inline ?? '', 'reopened')
    const { json } = await dc(
      `/rest/api/content/${page}?expand=children.comment.body.view,descendants.comment`,
    )
    assert.equal(json.children.comment.results[0].body.view.value, '<p>Thanks</p>')
    assert.deepEqual([json.children.comment.size, json.descendants.comment.size], [2, 4])
    assert.deepEqual(ids(await dc(`/rest/api/content/${inline}/child/comment`)), [reply])
  })

  test('it returns and filters every resolution without changing the page version', async () => {
    const before = (await cloud(`/api/v2/pages/${page}`)).json.version.number
    for (const resolution of ['resolved', 'reopened', 'dangling', 'open'] as const) {
      await wiki.control.resolveComment(reply ?? '', resolution)
      const path = `/api/v2/pages/${page}/inline-comments?resolution-status=${resolution}`
      assert.deepEqual(ids(await cloud(path)), [inline], resolution)
    }
    assert.deepEqual(ids(await cloud(`/api/v2/pages/${page}/inline-comments?resolution-status=resolved`)), [])
    await wiki.control.editComment(footer ?? '', { body: '<p>Many thanks</p>' })
    const edited = await cloud(`/api/v2/footer-comments/${footer}?body-format=storage`)
    assert.deepEqual([edited.json.version.number, edited.json.body.storage.value], [2, '<p>Many thanks</p>'])
    await wiki.control.deleteComment(reply ?? '')
    assert.deepEqual(ids(await cloud(`/api/v2/inline-comments/${inline}/children`)), [deep])
    assert.equal((await cloud(`/api/v2/pages/${page}`)).json.version.number, before)
    await assert.rejects(wiki.control.resolveComment(footer ?? ''), /not an inline comment/)
  })

  test('it marks the selected words of an open inline comment', async () => {
    const id = await wiki.control.createPage({ space: 'ENG', title: 'Marked', body: '<p>One two three.</p>' })
    const comment = await wiki.control.addComment(id, {
      body: '<p>?</p>',
      location: 'inline',
      selection: 'two',
    })
    const { storage } = await wiki.control.body(id)
    const view = await wiki.control.view(id, 'crawler')
    assert.match(view ?? '', /One <span class="inline-comment-marker" data-ref="[^"]+">two<\/span> three/)
    assert.match(storage, /<ac:inline-comment-marker ac:ref="[^"]+">two</)
    await wiki.control.deleteComment(comment)
    assert.equal((await wiki.control.body(id)).storage, '<p>One two three.</p>')
  })

  test('it hides the comments of a page with the page', async () => {
    await wiki.control.restrict(page, { read: { users: ['somebody'] } })
    for (const path of [
      `/api/v2/pages/${page}/footer-comments`,
      `/api/v2/footer-comments/${footer}`,
      `/api/v2/inline-comments/${inline}/children`,
    ])
      assert.equal((await cloud(path, 'member')).status, 404, path)
    assert.deepEqual(ids(await cloud('/api/v2/footer-comments', 'member')), [])
    assert.deepEqual(ids(await cloud(cqlPath(`container = ${page}`), 'member')), [])
    assert.equal((await dc(`/rest/api/content/${footer}`, 'member')).status, 404)
    const member = (await wiki.control.truth()).people.find(({ username }) => username === 'member')
    assert.equal(await wiki.control.canRead(member?.accountId ?? '', footer ?? ''), false)
    await wiki.control.restrict(page, { read: {} })
    await wiki.control.deletePage(page)
    assert.deepEqual(
      (await wiki.control.truth()).comments.filter(({ pageId }) => pageId === page),
      [],
    )
  })

  test('it adds comments only with the option, and changes nothing else', () => {
    const [quiet, loud] = [false, true].map((comments) => generateWiki({ seed: 3, pages: 120, comments }))
    assert.equal(quiet?.comments.size, 0)
    const said = [...(loud?.comments.values() ?? [])]
    assert.ok(said.length > 10)
    assert.deepEqual(new Set(said.map(({ location }) => location)), new Set(['footer', 'inline']))
    assert.ok(said.some(({ parentId }) => parentId !== null))
    assert.deepEqual([...(quiet?.nodes.keys() ?? [])], [...(loud?.nodes.keys() ?? [])])
  })
})
