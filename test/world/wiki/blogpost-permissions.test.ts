import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestCloud, requestDataCenter } from './ask.ts'
import type { SpacePermission } from './model/model.ts'
import { startWiki, type Wiki } from './start.ts'

const ann = '557058:ann'
const row = (text: string): SpacePermission => {
  const [key = '', targetType = ''] = text.split('/')
  return { principal: { type: 'user', id: ann }, operation: { key, targetType } }
}

describe('permissions for blog posts in the simulated wiki', () => {
  let wiki: Wiki
  let page: string
  let post: string

  before(async () => {
    wiki = await startWiki({ seed: 6, pages: 60 })
    await wiki.control.addPerson({ accountId: ann, name: 'Ann' })
    await wiki.control.addSpace({ key: 'B', name: 'B', permissions: [] })
    page = await wiki.control.createPage({ space: 'B', title: 'Page' })
    post = await wiki.control.createPage({ space: 'B', title: 'Post', kind: 'blogpost' })
  })
  after(() => wiki.stop())

  const table: [string, { page: string[]; post: string[] }][] = [
    ['create/page', { page: ['update'], post: [] }],
    ['create/blogpost', { page: [], post: ['update'] }],
    ['create/page delete/page', { page: ['update', 'delete'], post: [] }],
    ['create/blogpost delete/page', { page: [], post: ['update'] }],
    ['create/blogpost delete/blogpost', { page: [], post: ['update', 'delete'] }],
    ['create/page create/blogpost delete/blogpost', { page: ['update'], post: ['update', 'delete'] }],
  ]
  for (const [rows, expected] of table)
    test(`it derives update and delete from ${rows}, on both sites and in checks`, async () => {
      await wiki.control.setSpacePermissions('B', ['read/space', ...rows.split(' ')].map(row))
      const { canUpdate, canDelete } = wiki.control
      for (const [id, operations] of [
        [page, expected.page],
        [post, expected.post],
      ] as const) {
        for (const site of ['cloud', 'dataCenter'] as const)
          assert.deepEqual(
            [await canUpdate(ann, id, site), await canDelete(ann, id, site)],
            [operations.includes('update'), operations.includes('delete')],
            site,
          )
        for (const operation of ['update', 'delete'])
          assert.equal(await checked(id, operation), operations.includes(operation), operation)
      }
    })
  const checked = async (id: string, operation: string): Promise<boolean> => {
    const body = JSON.stringify({ subject: { type: 'user', identifier: ann }, operation })
    const path = `/rest/api/content/${id}/permission/check`
    return (await requestCloud(wiki.cloudUrl)(path, 'crawler', { method: 'POST', body })).json.hasPermission
  }

  test('it names operations on Data Center as its documents do', async () => {
    const rows = ['read/space', 'create/blogpost', 'delete/blogpost', 'delete/attachment', 'delete/space']
    await wiki.control.setSpacePermissions('B', [...rows, 'restrict_content/space'].map(row))
    const { json } = await requestDataCenter(wiki.dataCenterUrl)('/rest/api/space/B/permissions')
    const named = json.map(
      ({ operation }: { operation: { operationKey: string; targetType: string } }) =>
        `${operation.targetType} ${operation.operationKey}`,
    )
    assert.deepEqual(named, [
      'space read',
      'blogpost create',
      'blogpost delete',
      'attachment delete',
      'space delete_own',
      'space restrict',
    ])
  })

  test('it generates rows for blog posts that sometimes differ from those for pages', async () => {
    const { spaces } = await wiki.control.truth()
    const rows = spaces.flatMap(({ permissions, key }) => permissions.map((each) => ({ ...each, key })))
    const holders = (text: string): Set<string> =>
      new Set(
        rows
          .filter(({ operation }) => `${operation.key}/${operation.targetType}` === text)
          .map(({ key, principal }) => `${key} ${principal.id}`),
      )
    for (const key of ['create', 'delete']) {
      const [pages, posts] = [holders(`${key}/page`), holders(`${key}/blogpost`)]
      assert.ok(pages.intersection(posts).size > 0, key)
      assert.ok(pages.symmetricDifference(posts).size > 0, key)
    }
  })
})
