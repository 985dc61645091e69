import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cqlPath, requestCloud, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'
import { include, macro, mentionOf } from './storage-words.ts'
import { visibleWords } from './view-world.ts'

/** The crawler sees every page; the member sees no page that is restricted to others. */
describe('bodies by the API of the simulated wiki', () => {
  let wiki: Wiki
  let [open, comment, author]: string[] = []
  const typed = () => `<p>before ${mentionOf(author ?? '')}</p>${include('Closed')}`

  before(async () => {
    wiki = await startWiki({ seed: 9, pages: 60, spaces: 5 })
    const { control } = wiki
    const { people } = await control.truth()
    author = people.find(({ name, accountType }) => accountType === 'atlassian' && name !== '')?.accountId
    const permissions = [
      {
        principal: { type: 'access-class' as const, id: 'all-licensed-users' },
        operation: { key: 'read', targetType: 'space' },
      },
    ]
    await control.addSpace({ key: 'INC', name: 'Includes', permissions })
    const closed = await control.createPage({ space: 'INC', title: 'Closed', body: '<p>zebra</p>' })
    await control.restrict(closed, { read: { users: ['somebody'] } })
    open = await control.createPage({ space: 'INC', title: 'Open', body: typed() })
    comment = await control.addComment(open, { body: `<p>look</p>${include('Closed')}` })
  })
  after(() => wiki.stop())

  const missing = 'Unable to render {include} The included page could not be found.'
  type Who = 'crawler' | 'member'
  type Read = (who: Who, form: string) => Promise<string>
  const cloud = (path: string, who: Who) => requestCloud(wiki.cloudUrl)(path, who)
  const dc = (path: string, who: Who) => requestDataCenter(wiki.dataCenterUrl)(path, who)
  const byV2: (path: () => string) => Read = (path) => async (who, form) =>
    (await cloud(`/api/v2/${path()}?body-format=${form}`, who)).json.body[form].value
  const byV1: (id: () => string | undefined) => Read = (id) => async (who, form) => {
    const { json } = await cloud(cqlPath(`id=${id()}`, `&expand=body.${form}`), who)
    return json.results[0].body[form].value
  }
  const byDataCenter: (id: () => string | undefined) => Read = (id) => async (who, form) =>
    (await dc(`/rest/api/content/${id()}?expand=body.${form}`, who)).json.body[form].value
  const readers: Record<string, Read> = {
    'v2 page': byV2(() => `pages/${open}`),
    'v1 page': byV1(() => open),
    'Data Center page': byDataCenter(() => open),
    'v2 comment': byV2(() => `footer-comments/${comment}`),
    'v1 comment': byV1(() => comment),
    'Data Center comment': byDataCenter(() => comment),
  }

  for (const [name, read] of Object.entries(readers)) {
    test(`it returns the same storage body to every caller: ${name}`, async () => {
      const storage = await read('crawler', 'storage')
      assert.equal(await read('member', 'storage'), storage)
      assert.match(storage, /<ac:structured-macro ac:name="include"/)
      assert.ok(!storage.includes('zebra'))
    })

    test(`it renders the view for the caller: ${name}`, async () => {
      for (const form of ['view', 'export_view', 'styled_view']) {
        assert.match(visibleWords(await read('crawler', form)), /zebra$/)
        const text = visibleWords(await read('member', form))
        assert.ok(text.endsWith(missing), text)
      }
    })
  }

  test('it returns storage bodies in v2 lists', async () => {
    const { json } = await cloud(`/api/v2/pages?id=${open}&body-format=storage`, 'member')
    assert.equal(json.results[0].body.storage.value, typed())
  })

  test('it stores user keys on Data Center and account ids on Cloud, and shows names', async () => {
    const person = (await wiki.control.truth()).people.find(({ accountId }) => accountId === author)
    const onCloud = byV2(() => `pages/${open}`)
    const onDataCenter = byDataCenter(() => open)
    assert.match(await onCloud('crawler', 'storage'), new RegExp(`ri:account-id="${author}"`))
    assert.match(await onDataCenter('crawler', 'storage'), new RegExp(`ri:userkey="${person?.userKey}"`))
    for (const read of [onCloud, onDataCenter])
      assert.ok(visibleWords(await read('crawler', 'view')).includes(`before ${person?.name}`))
  })

  test('it returns the storage body and the view of each account', async () => {
    const id = open ?? ''
    assert.deepEqual(await wiki.control.body(id), { storage: typed() })
    assert.match(visibleWords((await wiki.control.view(id, 'crawler')) ?? ''), /zebra$/)
    assert.ok(visibleWords((await wiki.control.view(id, 'member')) ?? '').endsWith(missing))
    assert.ok(
      visibleWords((await wiki.control.view(id, author ?? '', 'dataCenter')) ?? missing).endsWith(missing),
    )
    await wiki.control.restrict(id, { read: { users: ['somebody'] } })
    assert.equal(await wiki.control.view(id, 'member'), null)
    await wiki.control.restrict(id, { read: {} })
    await assert.rejects(wiki.control.view(id, 'no such account'), /there is no account/)
  })

  test('it can omit macro wrappers', async () => {
    const id = await wiki.control.createPage({
      space: 'INC',
      title: 'Wrapped',
      body: macro('info', { id: 'm1', rich: '<p>x</p>' }),
    })
    const view = () => wiki.control.view(id, 'crawler')
    assert.match((await view()) ?? '', /data-macro-id="m1"/)
    await wiki.control.set({ macroWrappers: false })
    assert.doesNotMatch((await view()) ?? '', /data-macro/)
    await wiki.control.set({ macroWrappers: true })
  })
})
