import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts } from '../../../../test/world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import {
  addSpace,
  cloud as deployment,
  listAll,
  openSource,
  pageOf,
} from '../../../../test/world/wiki-source.ts'
import { createEgress } from '../../egress/guard.ts'
import { TOKEN_GRANTS } from '../token-grants.ts'

const { signal } = new AbortController()
const granular = [...new Set(TOKEN_GRANTS.flatMap((row) => row.granular))]
const classic = [...new Set(TOKEN_GRANTS.flatMap((row) => row.classic ?? row.granular))]

describe('a connection check', () => {
  let wiki: Wiki
  const egress = createEgress({ publicOnly: false })
  const { email, scopedToken } = accounts.crawler
  const open = (more: object = {}) => openSource({ wiki, deployment, egress }, more)
  const scoped = (more: object = {}) => open({ username: email, token: scopedToken, ...more })
  const stepOf = async (source: ReturnType<typeof open>, name: string) => {
    const { steps } = await source.check(signal)
    return steps.find((step) => step.name === name)
  }
  before(async () => {
    wiki = await startWiki({ seed: 9, spaces: 3, pages: 30, people: 8, groups: 3, everyKind: true })
  })
  after(async () => {
    await egress.close()
    await wiki.stop()
  })

  test('names groups and classes in words', async () => {
    const { steps } = await open().check(signal)
    const detail = (name: string) => steps.find((step) => step.name === name)?.detail ?? ''
    assert.doesNotMatch(detail('read group members'), /[0-9a-f]{8}-/)
    assert.doesNotMatch(detail('read space permissions'), /classes|1 (people|groups)/)
  })

  for (const [name, scopes] of Object.entries({ granular, classic }))
    test(`finds nothing missing with the ${name} scopes of the table, and everything is listed`, async () => {
      const settings = { extract_files: true, include_blog_posts: true, include_comments: true }
      const usual = await listAll(open(settings))
      await wiki.control.setAccount('crawler', { scopes })
      const step = await stepOf(scoped(settings), 'token scopes')
      const { refs, warnings } = await listAll(scoped(settings))
      await wiki.control.setAccount('crawler', { scopes: null })
      assert.equal(step?.status, 'ok', step?.detail)
      assert.deepEqual(refs, usual.refs)
      assert.deepEqual(warnings, usual.warnings)
    })

  for (const missingScope of [401, 403] as const)
    test(`names the missing scopes if the gateway answers ${missingScope}`, async () => {
      await wiki.control.set({ missingScope })
      const lacking = ['read:folder', 'read:content.permission', 'read:attachment'].map(
        (name) => `${name}:confluence`,
      )
      await wiki.control.setAccount('crawler', { scopes: granular.filter((name) => !lacking.includes(name)) })
      const step = await stepOf(scoped({ extract_files: true }), 'token scopes')
      await wiki.control.setAccount('crawler', {
        scopes: granular.filter((name) => !name.includes('content-details')),
      })
      const { reason } = await scoped().check(signal)
      await wiki.control.setAccount('crawler', { scopes: null })
      await wiki.control.set({ missingScope: 401 })
      assert.equal(step?.status, 'warning')
      for (const name of lacking) assert.ok(step.detail.includes(name), step.detail)
      assert.match(step.detail, /check who may read pages below folders/)
      assert.ok(!step.detail.includes('read:whiteboard'))
      assert.match(reason ?? '', /read:content-details:confluence/)
    })

  for (const [lacking, does] of [
    ['read:configuration', /read:configuration:confluence to read how spaces grant permissions/],
    ['read:group', /read:group:confluence.* to (list groups|read group members)/],
  ] as const)
    test(`treats "not found" as a missing ${lacking} and grants nothing`, async () => {
      await wiki.control.set({ missingScope: 404, roleMode: 'ROLES' })
      const scopes = granular.filter((name) => name !== `${lacking}:confluence`)
      const [person] = (await wiki.control.truth()).people
      const space = await addSpace(wiki, `LACKS${lacking === 'read:group' ? 'G' : 'C'}`)
      const page = await wiki.control.createPage({ space, title: 'for one group' })
      await wiki.control.addGroup({ id: `few-${space}`, name: `few ${space}`, members: [person!.accountId] })
      await wiki.control.restrict(page, { read: { groups: [`few-${space}`] } })
      const granted = async () =>
        pageOf((await listAll(scoped({ spaces: [space] }))).refs, page).access.permissions[0].read
      const all = await granted()
      await wiki.control.setAccount('crawler', { scopes })
      const [fewer, step] = [await granted(), await stepOf(scoped(), 'token scopes')]
      await wiki.control.setAccount('crawler', { scopes: null })
      await wiki.control.set({ missingScope: 401, roleMode: 'PRE_ROLES' })
      assert.deepEqual(all, { users: [], groups: [`few-${space}`] })
      assert.deepEqual(fewer, { users: [], groups: [] })
      assert.match(step?.detail ?? '', does)
    })

  test('tries no scopes with a token without scopes', async () => {
    assert.equal(await stepOf(open(), 'token scopes'), undefined)
  })

  test('reports which macros are dropped and which pages are hidden', async () => {
    const space = await addSpace(wiki, 'SAMPLE')
    const include =
      '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="x"/></ac:link></ac:parameter></ac:structured-macro>'
    await wiki.control.createPage({ space, title: 'with', body: `<p>own</p>${include}` })
    const folder = await wiki.control.createPage({ space, title: 'Folder', kind: 'folder' })
    await wiki.control.createPage({ space, title: 'below', parentId: folder })
    const check = async (more: object = {}) => {
      const { steps, ok } = await open({ spaces: [space], ...more }).check(signal)
      assert.ok(ok)
      const of = (name: string) => steps.find((step) => step.name === name)
      return { dropped: of('what will be dropped'), hidden: of('what will be hidden') }
    }
    const { dropped, hidden } = await check()
    assert.equal(dropped?.status, 'ok')
    assert.match(dropped.detail, /include \(1\)/)
    assert.equal(hidden?.status, 'ok', hidden?.detail)

    await wiki.control.setAccount('crawler', { mayCheck: false })
    const unproved = await check()
    const assumed = await check({ unproved_ancestors: 'open' })
    await wiki.control.setAccount('crawler', { mayCheck: true })
    assert.match(unproved.hidden?.detail ?? '', /1 will be found by some of their readers only/)
    assert.match(assumed.hidden?.detail ?? '', /1 are below a folder that may be restricted/)
  })
})
