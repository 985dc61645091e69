import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { DocumentRef } from '../../document.ts'
import type { Egress } from '../egress/egress.ts'
import { createEgress } from '../egress/guard.ts'
import type { ListingPage, ReadOutcome } from '../source.ts'
import { wikiSchema } from './config.ts'
import { openWiki } from './source.ts'

/** A wiki that admits visitors answers expired credentials as it answers visitors: with 200 and fewer pages. */

const { signal } = new AbortController()
const guard = createEgress()
after(() => guard.close())

type Deployment = 'Cloud' | 'Data Center'
/** What the wiki says about the sign-in: nothing, only failures, or also success. */
type Header = 'none' | 'failures' | 'all'
type FakeOptions = { header: Header; account?: () => string }

const SPACES = [
  { id: '1', key: 'OPEN', name: 'Open', pages: ['11', '12'] },
  { id: '2', key: 'PRIVATE', name: 'Private', pages: ['21', '22'] },
]
const spaceOfPage = (id: string) => SPACES.find(({ pages }) => pages.includes(id))!
const noOne = { results: [], start: 0, limit: 100, size: 0 }
const unrestricted = { restrictions: { user: noOne, group: noOne } }
const metadata = {
  restrictions: { read: unrestricted, update: unrestricted },
  metadata: { labels: noOne },
}

/** Visitors see only the space OPEN. `expireAt` makes the credentials expire with the first such request. */
function fakeWiki(deployment: Deployment, { header, account = () => 'me' }: FakeOptions) {
  let expired = false
  let expiresAt: RegExp | null = null
  const requested: string[] = []
  const answer = deployment === 'Cloud' ? cloudAnswer : dataCenterAnswer
  const egress: Egress = {
    ...guard,
    request: async (url, { headers = {} }) => {
      const hasCredentials = 'authorization' in headers
      if (hasCredentials) requested.push(`${url.pathname}${url.search}`)
      expired ||= hasCredentials && (expiresAt?.test(`${url.pathname}${url.search}`) ?? false)
      const isVisitor = !hasCredentials || expired
      const found = answer(url, isVisitor ? null : account())
      const reason = isVisitor ? 'AUTHENTICATED_FAILED' : header === 'all' ? 'OK' : null
      const loginReason: Record<string, string> =
        header !== 'none' && hasCredentials && reason ? { 'x-seraph-loginreason': reason } : {}
      const text = JSON.stringify(found ?? { message: 'Not Found' })
      return {
        status: found ? 200 : 404,
        headers: new Headers({ 'content-type': 'application/json', ...loginReason }),
        url,
        complete: true,
        text: async () => text,
        bytes: async () => new TextEncoder().encode(text),
      }
    },
  }
  const settings = { url: 'https://wiki.example', token: 't', cloud: deployment === 'Cloud' }
  const source = openWiki(
    wikiSchema.parse({ ...settings, ...(settings.cloud ? { username: 'me@acme.example' } : {}) }),
    { egress, log: { debug() {}, info() {}, warn() {}, error() {} } },
    { firstWaitMs: 1 },
  )
  return {
    source,
    requested,
    expireAt: (pattern: RegExp) => {
      expiresAt = pattern
    },
  }
}

const visibleTo = (account: string | null) => SPACES.filter(({ key }) => account || key === 'OPEN')

function currentUser(account: string | null, idName: string): object {
  return account
    ? { type: 'known', [idName]: account, accountType: 'atlassian', displayName: account }
    : { type: 'anonymous', [idName]: '', displayName: 'Anonymous' }
}

function cloudAnswer({ pathname, searchParams }: URL, account: string | null): object | null {
  const path = pathname.replace(/^\/wiki/, '')
  const spaces = visibleTo(account)
  const page = (id: string) => ({
    id,
    status: 'current',
    title: `Page ${id}`,
    spaceId: spaceOfPage(id).id,
    version: { number: 1 },
    body: { storage: { value: '<p>text</p>' } },
  })
  const isVisible = (id: string) => spaces.some(({ pages }) => pages.includes(id))
  if (path === '/rest/api/user/current') return currentUser(account, 'accountId')
  if (path === '/api/v2/spaces') return { results: spaces.map(({ pages: _, ...space }) => space) }
  if (path === '/api/v2/space-role-mode') return { mode: 'PRE_ROLES' }
  if (path === '/api/v2/pages') {
    const ids = searchParams.getAll('id').flatMap((each) => each.split(','))
    return { results: ids.filter(isVisible).map(page) }
  }
  if (path === '/rest/api/content/search') {
    const ids = /id in \(([\d,]+)\)/.exec(searchParams.get('cql') ?? '')?.[1]?.split(',') ?? []
    return { results: ids.filter(isVisible).map((id) => ({ id, ...metadata })) }
  }
  const [, id, list] = /^\/api\/v2\/spaces\/(\d+)\/(\w+)$/.exec(path) ?? []
  const space = spaces.find((each) => each.id === id)
  if (!space) return null
  if (list === 'pages') return { results: space.pages.map(page) }
  const operation = { key: 'read', targetType: 'space' }
  return { results: [{ principal: { type: 'group', id: 'g' }, operation }] }
}

function dataCenterAnswer({ pathname, searchParams }: URL, account: string | null): object | null {
  const spaces = visibleTo(account)
  const spaceRow = ({ id, key, name }: (typeof SPACES)[number]) => ({ id, key, name, status: 'current' })
  const page = (id: string) => ({
    id,
    status: 'current',
    title: `Page ${id}`,
    space: { id: spaceOfPage(id).id },
    version: { number: 1 },
    ancestors: [],
    body: { storage: { value: '<p>text</p>' } },
    ...metadata,
  })
  if (pathname === '/rest/api/server-information') return { version: '9.2.1' }
  if (pathname === '/rest/api/user/current') return currentUser(account, 'userKey')
  if (pathname === '/rest/api/space')
    return { results: searchParams.get('status') === 'current' ? spaces.map(spaceRow) : [] }
  if (pathname === '/rest/api/content/scan') {
    const space = spaces.find(({ key }) => key === searchParams.get('spaceKey'))
    return space ? { results: space.pages.map(page) } : null
  }
  const [, id] = /^\/rest\/api\/content\/(\d+)$/.exec(pathname) ?? []
  if (id) return spaces.some(({ pages }) => pages.includes(id)) ? page(id) : null
  if (pathname === '/rest/api/content/search') return { results: [] }
  const [, key, rest] = /^\/rest\/api\/space\/(\w+)\/permissions(\/anonymous)?$/.exec(pathname) ?? []
  if (!spaces.some((each) => each.key === key)) return null
  const operation = { operationKey: 'read', targetType: 'space' }
  return rest ? [] : [{ operation, subject: { type: 'group', name: 'g' } }]
}

type Fake = ReturnType<typeof fakeWiki>

/** What a listing yields until it fails, and the code of the failure. */
async function list({ source }: Fake): Promise<{ pages: ListingPage[]; code: string | null }> {
  const pages: ListingPage[] = []
  try {
    for await (const page of source.list(signal)) pages.push(page)
    return { pages, code: null }
  } catch (error) {
    return { pages, code: (error as { code: string }).code }
  }
}

async function refsOf(fake: Fake): Promise<DocumentRef[]> {
  const { pages } = await list(fake)
  return pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
}

const PAGE_LISTS = { Cloud: /spaces\/\d+\/pages/, 'Data Center': /content\/scan/ }
const PERMISSIONS = { Cloud: /spaces\/\d+\/permissions/, 'Data Center': /space\/\w+\/permissions/ }
const SPACE_LISTS = { Cloud: /v2\/spaces\?/, 'Data Center': /rest\/api\/space\?/ }

for (const deployment of ['Cloud', 'Data Center'] as const)
  for (const header of ['failures', 'none'] as const)
    describe(`credentials that ${deployment} treats as a visitor's, with ${header} in the header`, () => {
      const expiringAt = (pattern: RegExp) => {
        const fake = fakeWiki(deployment, { header })
        fake.expireAt(pattern)
        return fake
      }

      test('are refused when the source is opened', async () => {
        const fake = expiringAt(/./)
        assert.deepEqual(await list(fake), { pages: [], code: 'source_unauthorized' })
        const { ok, steps } = await fake.source.check(signal)
        assert.equal(ok, false)
        assert.equal(steps.find(({ name }) => name === 'sign in')?.status, 'failed')
      })

      for (const [what, patterns] of Object.entries({
        spaces: SPACE_LISTS,
        pages: PAGE_LISTS,
        permissions: PERMISSIONS,
      }))
        test(`end a listing that reads ${what}, before it yields anything`, async () => {
          const { pages, code } = await list(expiringAt(patterns[deployment]))
          assert.equal(code, 'source_unauthorized')
          assert.deepEqual(pages, [])
        })

      test('end a listing after what was read before', async () => {
        const last = { Cloud: /spaces\/2\/pages/, 'Data Center': /content\/scan.*spaceKey=PRIVATE/ }
        const { pages, code } = await list(expiringAt(last[deployment]))
        assert.equal(code, 'source_unauthorized')
        assert.ok(!pages.some((page) => page.kind === 'complete'))
        for (const page of pages) assert.ok(!('scope' in page) || page.scope === 'OPEN')
      })

      test('locate, relist and read nothing', async () => {
        const fake = fakeWiki(deployment, { header })
        const refs = await refsOf(fake)
        assert.equal(refs.length, 4)
        fake.expireAt(/./)
        await assert.rejects(fake.source.locate(refs, signal), { code: 'source_unauthorized' })
        await assert.rejects(fake.source.relist(refs, signal), { code: 'source_unauthorized' })
        const outcomes: ReadOutcome[] = await Array.fromAsync(fake.source.read(refs, () => true, signal))
        const hidden = outcomes.filter(({ ref }) => ref.scope === 'PRIVATE')
        assert.deepEqual(
          hidden.map((outcome) => 'error' in outcome && outcome.error.code),
          ['source_unauthorized', 'source_unauthorized'],
        )
      })
    })

for (const deployment of ['Cloud', 'Data Center'] as const)
  describe(`credentials that ${deployment} accepts`, () => {
    const confirmations = ({ requested }: Fake) =>
      requested.filter((path) => path.includes('user/current')).length

    test('are not confirmed again if each response says that they were accepted', async () => {
      const fake = fakeWiki(deployment, { header: 'all' })
      assert.equal((await refsOf(fake)).length, 4)
      assert.equal(confirmations(fake), 1)
    })

    test('are confirmed at most twice for each space of a listing', async () => {
      const fake = fakeWiki(deployment, { header: 'none' })
      assert.equal((await refsOf(fake)).length, 4)
      const before = confirmations(fake)
      assert.equal((await refsOf(fake)).length, 4)
      assert.ok(confirmations(fake) - before <= SPACES.length * 2, String(confirmations(fake) - before))
    })

    test('prove nothing if another account answers', async () => {
      let account = 'me'
      const fake = fakeWiki(deployment, { header: 'none', account: () => account })
      assert.equal((await refsOf(fake)).length, 4)
      account = 'somebody-else'
      assert.deepEqual(await list(fake), { pages: [], code: 'source_unauthorized' })
    })
  })
