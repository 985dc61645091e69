import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts } from '../../../../test/world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { type Principals, personTokens } from '../../../access.ts'
import type { DocumentRef } from '../../../document.ts'
import type { AppError } from '../../../errors.ts'
import type { ListingPage, Source } from '../../connector.ts'
import { createEgress } from '../../egress/guard.ts'
import type { Egress } from '../../egress.ts'
import { wikiSchema } from '../config.ts'
import { openWiki } from '../source.ts'

const { crawler } = accounts
const { signal } = new AbortController()
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const SUPER_GROUP = 'confluence-administrators'
let egress: Egress
before(() => {
  egress = createEgress({ publicOnly: false })
})
after(() => egress.close())

function open(wiki: Wiki, more: object = {}): Source {
  const settings = { url: wiki.dataCenterUrl, token: crawler.pat, max_num_of_docs_from_each_space: 10_000 }
  const options = { firstWaitMs: 5, timeoutMs: 5_000, gatewayOrigin: new URL(wiki.gatewayUrl).origin }
  return openWiki(wikiSchema.parse({ ...settings, ...more }), { egress, log: silent }, options)
}

async function listing(source: Source) {
  const pages: ListingPage[] = []
  for await (const page of source.list(signal)) pages.push(page)
  const refs = pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
  const warnings = pages.flatMap((page) => (page.kind === 'warning' ? [page.warning] : []))
  const ends = pages.flatMap((page) => (page.kind === 'end' ? [page] : []))
  return { refs, warnings, ends, complete: pages.at(-1)?.kind === 'complete' }
}

async function reading(source: Source, refs: DocumentRef[]) {
  const documents = new Map<string, string>()
  const errors = new Map<string, AppError>()
  for await (const outcome of source.read(refs, () => true, signal)) {
    if ('document' in outcome) documents.set(outcome.ref.locator.page_id!, String(outcome.document.body))
    else if ('error' in outcome) errors.set(outcome.ref.locator.page_id!, outcome.error)
  }
  return { documents, errors }
}

type Someone = { accountId: string; user: string; groups: string[]; classes: string[] }
function isIn(list: Principals, { user, groups, classes }: Someone): boolean {
  const named = list.users.includes(user) || groups.some((group) => list.groups.includes(group))
  return named || classes.some((name) => list.access_classes?.includes(name) ?? false)
}
function matches(clauses: Record<string, string[]>, someone: Someone): boolean {
  const tokens = new Set(personTokens(someone))
  return Object.values(clauses).every((list) => list.some((token) => tokens.has(token)))
}
async function everybody(wiki: Wiki, source: Source): Promise<Someone[]> {
  const { people } = await wiki.control.truth()
  const active = people.filter((person) => person.active)
  return Promise.all(
    active.map(async ({ accountId, userKey }) => ({
      accountId,
      user: userKey,
      ...(await source.groupsOf(userKey, signal)),
    })),
  )
}
async function wrongReaders(wiki: Wiki, source: Source, refs: DocumentRef[]): Promise<string[]> {
  const people = await everybody(wiki, source)
  const readers = await wiki.control.readers('dataCenter')
  return refs.flatMap((ref) => {
    const allowed = new Set(readers[ref.locator.page_id!])
    return people.flatMap((one) => {
      const truth = allowed.has(one.accountId)
      const flat = isIn(ref.access.permissions[0].read, one) === truth
      const clauses = matches(ref.access.clauses, one) === truth
      return flat && clauses ? [] : [`${ref.recordId} ${one.user} ${truth}: ${flat ? 'clauses' : 'flat'}`]
    })
  })
}
function refOf(refs: DocumentRef[], id: string): DocumentRef {
  const ref = refs.find(({ locator }) => locator.page_id === id)
  assert.ok(ref, `page ${id} is not listed`)
  return ref
}
async function openSpace(wiki: Wiki): Promise<string> {
  const { spaces } = await wiki.control.truth()
  return spaces.find((space) => space.type === 'global' && space.status === 'current')!.key
}

describe('a Data Center wiki of 1,500 pages', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 11, spaces: 10, pages: 1500, people: 40, groups: 10 })
  })
  after(() => wiki.stop())

  for (const dcVersion of ['7.13.0', '8.5.4', '9.2.1', '10.1.0']) {
    test(`is listed whole and read with at most 0.1 requests a page by version ${dcVersion}`, async (context) => {
      await wiki.control.set({ dcVersion })
      const source = open(wiki)
      await wiki.control.resetCounts()
      const { refs, ends, complete } = await listing(source)
      const { documents, errors } = await reading(source, refs)
      const { requests } = await wiki.control.counts()
      assert.ok(complete)
      assert.equal(errors.size, 0)
      assert.equal(documents.size, refs.length)
      context.diagnostic(`${requests} requests for ${refs.length} pages`)
      assert.ok(requests / refs.length <= 0.1, `${requests} requests for ${refs.length} pages`)

      const { pages, spaces, people } = await wiki.control.truth()
      const current = new Set(spaces.filter(({ status }) => status === 'current').map(({ id }) => id))
      const expected = pages.filter(
        (page) => page.kind === 'page' && page.status === 'current' && current.has(page.spaceId),
      )
      assert.deepEqual(new Set(refs.map((ref) => ref.locator.page_id)), new Set(expected.map(({ id }) => id)))
      assert.equal(ends.length, current.size)
      for (const { scope } of ends) {
        const positions = refs.filter((ref) => ref.scope === scope).map((ref) => ref.position)
        assert.deepEqual(positions, positions.toSorted())
      }
      const keys = new Map(people.map(({ accountId, userKey }) => [accountId, userKey]))
      for (const page of expected) {
        const ref = refOf(refs, page.id)
        assert.equal(ref.title, page.title)
        assert.equal(ref.version, String(page.version))
        assert.deepEqual(ref.labels, page.labels.toSorted())
        assert.equal(ref.author, keys.get(page.authorId))
        assert.equal(ref.url, `${wiki.dataCenterUrl}/pages/viewpage.action?pageId=${page.id}`)
      }
    })

    test(`lets exactly those read each page whom version ${dcVersion} lets read it`, async () => {
      await wiki.control.set({ dcVersion })
      const source = open(wiki)
      const { refs, warnings } = await listing(source)
      assert.deepEqual((await wrongReaders(wiki, source, refs)).slice(0, 10), [])
      assert.deepEqual(warnings, [])
      for (const { access } of refs) {
        assert.ok(access.permissions[0].read.groups.includes(SUPER_GROUP))
        for (const list of Object.values(access.clauses)) assert.ok(list.includes(`group:${SUPER_GROUP}`))
      }
      assert.ok(refs.some((ref) => Object.keys(ref.access.clauses).length > 1))
    })
  }

  test('gives visitors nothing, nor anybody what visitors have, where the wiki shuts them out', async () => {
    for (const dcVersion of ['7.13.0', '9.2.1']) {
      await wiki.control.set({ dcVersion, dcVisitors: true })
      const anonymous = (refs: DocumentRef[]) =>
        refs.filter(({ access }) => access.permissions[0].read.access_classes?.includes('anonymous-users'))
      assert.ok(anonymous((await listing(open(wiki))).refs).length > 0)
      await wiki.control.set({ dcVisitors: false })
      const source = open(wiki)
      const { refs } = await listing(source)
      assert.equal(anonymous(refs).length, 0)
      assert.deepEqual((await wrongReaders(wiki, source, refs)).slice(0, 10), [])
      await wiki.control.set({ dcVisitors: true })
    }
  })

  for (const dcVersion of ['7.13.0', '9.2.1']) {
    test(`is cut exactly by its limits in version ${dcVersion}, whatever order it lists in`, async () => {
      await wiki.control.set({ dcVersion, dcOrder: 'title' })
      const limits = { max_num_of_spaces: 2, max_num_of_docs_from_each_space: 7 }
      const { refs, warnings, ends } = await listing(open(wiki, limits))
      assert.equal(ends.length, 2)
      assert.ok(warnings.some(({ code }) => code === 'spaces_left_out'))
      const { pages } = await wiki.control.truth()
      for (const { scope, upTo } of ends) {
        const ids = pages
          .filter((page) => page.spaceKey === scope && page.kind === 'page' && page.status === 'current')
          .map((page) => Number(page.id))
          .sort((a, b) => a - b)
        const listed = refs.filter((ref) => ref.scope === scope)
        assert.deepEqual(
          listed.map((ref) => Number(ref.locator.page_id)),
          ids.slice(0, 7),
        )
        assert.equal(upTo, listed.at(-1)!.position)
      }
      await wiki.control.set({ dcOrder: 'id' })
    })
  }
})

describe('a small Data Center wiki', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, spaces: 4, pages: 120, people: 12, groups: 5 })
  })
  after(() => wiki.stop())

  for (const dcVersion of ['7.13.0', '9.2.1']) {
    test(`agrees with version ${dcVersion} on who may update and delete`, async () => {
      await wiki.control.set({ dcVersion })
      const source = open(wiki)
      const { refs } = await listing(source)
      const people = await everybody(wiki, source)
      const wrong: string[] = []
      for (const ref of refs) {
        const id = ref.locator.page_id!
        const [, { update }, { delete: remove }] = ref.access.permissions
        await Promise.all(
          people.map(async (one) => {
            const may = await Promise.all([
              wiki.control.canUpdate(one.accountId, id, 'dataCenter'),
              wiki.control.canDelete(one.accountId, id, 'dataCenter'),
            ])
            if (isIn(update, one) !== may[0]) wrong.push(`update ${id} ${one.user} ${may[0]}`)
            if (isIn(remove, one) !== may[1]) wrong.push(`delete ${id} ${one.user} ${may[1]}`)
          }),
        )
      }
      assert.deepEqual(wrong.slice(0, 10), [])
    })
  }

  const quirks = {
    'links that hold the context': { dcNextWithContext: true },
    'a next link where nothing follows': { dcPhantomNext: true },
    'next links that count one too few': { dcUnderCount: true },
    'links that count right': { dcUnderCount: false, dcNextWithContext: false },
  }
  for (const [name, settings] of Object.entries(quirks)) {
    test(`is listed whole through ${name}, old and new`, async () => {
      const was = await wiki.control.set({})
      try {
        for (const dcVersion of ['7.13.0', '9.2.1']) {
          await wiki.control.set({ ...settings, dcVersion })
          const { refs, complete } = await listing(open(wiki))
          assert.ok(complete)
          assert.equal(refs.length, 120)
        }
      } finally {
        await wiki.control.set(was)
      }
    })
  }

  test('signs in with a token, with a password, and with a token beside a name that is a password', async () => {
    const { username, password } = crawler
    for (const signIn of [
      { token: crawler.pat },
      { token: undefined, username, password },
      { username, token: password },
    ]) {
      const report = await open(wiki, signIn).check(signal)
      assert.equal(report.ok, true, JSON.stringify(report))
    }
  })

  test('keeps the context path in addresses and record ids, with or without a slash behind it', async () => {
    const { host } = new URL(wiki.dataCenterUrl)
    for (const url of [wiki.dataCenterUrl, `${wiki.dataCenterUrl}/`]) {
      const { refs } = await listing(open(wiki, { url, spaces: [await openSpace(wiki)] }))
      const [ref] = refs
      assert.equal(ref!.recordId, `${host}/confluence/${ref!.locator.page_id}`)
    }
    const elsewhere = await open(wiki, { url: new URL(wiki.dataCenterUrl).origin }).check(signal)
    assert.equal(elsewhere.ok, false)
    assert.match(elsewhere.reason!, /does not answer as a wiki does/)
  })

  test('takes a token beside a name for a password, and says so when it is refused', async () => {
    const report = await open(wiki, { username: crawler.username, token: crawler.pat }).check(signal)
    assert.match(report.reason!, /refused the credentials .* leave username out/)
  })

  test('reads restriction lists that are longer than one answer to their end', async () => {
    const key = await openSpace(wiki)
    const { people, groups } = await wiki.control.truth()
    const users = people.filter((person) => person.active).map(({ accountId }) => accountId)
    const named = groups.filter((group) => !group.deleted).map((group) => group.id)
    const id = await wiki.control.createPage({ space: key, title: 'long list' })
    await wiki.control.restrict(id, { read: { users, groups: named }, update: { users } })
    const { nestedLimit } = await wiki.control.set({})
    await wiki.control.set({ nestedLimit: 2 })
    try {
      const { refs } = await listing(open(wiki, { spaces: [key] }))
      const own = Object.values(refOf(refs, id).access.clauses).at(-1)!
      assert.equal(own.filter((token) => token.startsWith('user:')).length, users.length)
      assert.equal(own.filter((token) => token.startsWith('group:')).length, named.length)
    } finally {
      await wiki.control.set({ nestedLimit })
      await wiki.control.deletePage(id)
    }
  })

  test('counts the restriction of an ancestor that the limit left out', async () => {
    const key = await openSpace(wiki)
    const { people } = await wiki.control.truth()
    const limits = { spaces: [key], max_num_of_docs_from_each_space: 3 }
    for (const dcVersion of ['7.13.0', '9.2.1']) {
      await wiki.control.set({ dcVersion })
      const child = (await listing(open(wiki, limits))).refs.at(-1)!
      const parent = await wiki.control.createPage({ space: key, title: `late and closed ${dcVersion}` })
      await wiki.control.restrict(parent, { read: { users: [people[8]!.accountId] } })
      await wiki.control.movePage(child.locator.page_id!, parent)
      const source = open(wiki, limits)
      const { refs } = await listing(source)
      assert.ok(!refs.some((ref) => ref.locator.page_id === parent))
      const moved = refOf(refs, child.locator.page_id!)
      assert.ok(moved.ancestors.some(({ id }) => id === parent))
      assert.deepEqual(await wrongReaders(wiki, source, refs), [])
    }
  })

  test('knows groups whose names are no plain words, and grants nothing where the server cannot', async () => {
    const key = await openSpace(wiki)
    const { people } = await wiki.control.truth()
    const inside = people.find((person) => person.accountType === 'atlassian' && person.active)!
    const make = async (name: string) => {
      const group = `00000000-0000-4000-9000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`
      await wiki.control.addGroup({ id: group, name, members: [inside.accountId] })
      const id = await wiki.control.createPage({ space: key, title: name })
      await wiki.control.restrict(id, { read: { groups: [group] } })
      return id
    }
    const unicode = await make('Büro & Küche 100%')
    const slashed = await make('ops/night')
    const source = open(wiki, { spaces: [key] })
    const { refs } = await listing(source)
    assert.deepEqual(
      await wrongReaders(
        wiki,
        source,
        refs.filter((ref) => ref.title !== 'ops/night'),
      ),
      [],
    )
    assert.equal(refOf(refs, unicode).access.unproved, undefined)
    const { access } = refOf(refs, slashed)
    const one = (await everybody(wiki, source)).find(({ accountId }) => accountId === inside.accountId)!
    assert.ok(matches(access.clauses, one), 'the clauses need no members')
    assert.match(access.unproved!, /ops\/night/)
    for (const id of [unicode, slashed]) await wiki.control.deletePage(id)
  })

  test('says where known pages are, and which are gone', async () => {
    const source = open(wiki)
    const key = await openSpace(wiki)
    const make = (title: string) => wiki.control.createPage({ space: key, title })
    const ids = [await make('k'), await make('t'), await make('a'), await make('d')]
    const [kept, trashed, archived, deleted] = ids
    await wiki.control.trashPage(trashed!)
    await wiki.control.archivePage(archived!)
    await wiki.control.deletePage(deleted!)
    const name = wiki.dataCenterUrl.replace(/^https?:\/\//, '')
    const known = (id: string) => ({ recordId: `${name}/${id}`, locator: { space_key: key, page_id: id } })
    const places = await source.whereabouts(ids.map(known), signal)
    const expected = [kept, trashed, archived, deleted].map((id): [string, unknown] => [
      `${name}/${id}`,
      id === kept ? { scope: key, position: kept!.padStart(20, '0') } : null,
    ])
    assert.deepEqual(places, new Map(expected))
    await wiki.control.deletePage(kept!)
  })

  test('finds pages, restrictions and bodies that the search does not know yet', async () => {
    const key = await openSpace(wiki)
    const { people } = await wiki.control.truth()
    await wiki.control.holdSearch()
    try {
      const made = { space: key, title: 'fresh', view: '<p>fresh</p>', labels: ['new'] }
      const id = await wiki.control.createPage(made)
      await wiki.control.restrict(id, { read: { users: [people[0]!.accountId] } })
      const source = open(wiki, { spaces: [key] })
      const ref = refOf((await listing(source)).refs, id)
      assert.deepEqual(ref.labels, ['new'])
      assert.equal(Object.keys(ref.access.clauses).length, 2)
      assert.match((await reading(source, [ref])).documents.get(id)!, /fresh/)
    } finally {
      await wiki.control.releaseSearch()
    }
  })

  test('gives a huge page an outcome of its own and reads its mates', async () => {
    const key = await openSpace(wiki)
    const big = await wiki.control.createPage({ space: key, title: 'big' })
    await wiki.control.setBigBody(big, 30 * 1024 * 1024)
    const source = open(wiki, { spaces: [key] })
    const { refs } = await listing(source)
    const { documents, errors } = await reading(source, refs)
    assert.equal(errors.get(big)?.code, 'document_too_large')
    assert.equal(documents.size, refs.length - 1)
    await wiki.control.deletePage(big)
    assert.equal((await reading(source, [refOf(refs, big)])).errors.get(big)?.code, 'document_gone')
  })

  test('reads an archived space that is named, and no other', async () => {
    const { spaces } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.status === 'archived')!
    assert.ok(!(await listing(open(wiki))).ends.some(({ scope }) => scope === key))
    const source = open(wiki, { spaces: [key] })
    const { refs } = await listing(source)
    assert.ok(refs.length > 0)
    assert.equal((await reading(source, refs)).documents.size, refs.length)
  })
})

describe('a Data Center wiki that does not tell all', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 5, spaces: 2, pages: 60, people: 8, groups: 3 })
  })
  after(() => wiki.stop())

  async function under<T>(settings: object, work: () => Promise<T>): Promise<T> {
    const was = await wiki.control.set({})
    await wiki.control.set(settings)
    return work().finally(() => wiki.control.set(was))
  }
  const nobodyAtAll = { users: [], groups: [] }

  const silences = {
    'administrators of the space': { dcVersion: '9.2.1', token: accounts.powerless.pat },
    'only to administrators': { dcVersion: '8.5.4', token: accounts.powerless.pat },
    'remote API of .* is off': { dcVersion: '8.5.4', dcJsonRpc: 'off' },
    'secure administrator sessions': { dcVersion: '7.13.0', dcJsonRpc: 'websudo' },
  }
  for (const [words, { token = crawler.pat, ...settings }] of Object.entries<Record<string, string>>(
    silences,
  )) {
    test(`grants nobody, the super-group included, and says why: ${words}`, async () => {
      await under(settings, async () => {
        const { refs, warnings, complete } = await listing(open(wiki, { token }))
        assert.ok(complete)
        assert.equal(refs.length, 60)
        for (const { access } of refs) {
          assert.deepEqual(access.permissions[0].read, nobodyAtAll)
          assert.deepEqual(access.clauses, { c0: ['nobody'] })
        }
        const told = warnings.filter(({ code }) => code === 'permissions_unproved')
        assert.equal(told.length, 2)
        for (const { message } of told) assert.match(message, new RegExp(words))
        const report = await open(wiki, { token }).check(signal)
        const failed = report.steps.find(({ name }) => name === 'read space permissions')!
        assert.equal(failed.status, 'failed')
        assert.match(failed.detail, new RegExp(words))
        assert.ok(failed.fix)
      })
    })
  }

  test('is refused credentials in words: a wrong token, a sign-in page, a captcha', async () => {
    const wrong = await open(wiki, { token: 'wrong' }).check(signal)
    assert.match(wrong.reason!, /refused the credentials/)
    assert.equal(wrong.steps.at(-1)?.name, 'sign in')
    await under({ dcLoginPage: true }, async () => {
      assert.match((await open(wiki).check(signal)).reason!, /answered with a web page/)
      await assert.rejects(listing(open(wiki)), { code: 'source_unauthorized' })
    })
    await under({ dcCaptcha: true }, async () => {
      const { username, password } = crawler
      const report = await open(wiki, { token: undefined, username, password }).check(signal)
      assert.match(report.reason!, /captcha/)
    })
    // Before 7.9 there are no tokens.
    await under({ dcVersion: '7.4.0' }, async () => {
      await assert.rejects(listing(open(wiki)), { code: 'source_unauthorized' })
    })
  })

  test('finds out its version from the manifest, or does without', async () => {
    for (const [faults, words] of [
      [['server-information'], /Data Center 9\.2\.1/],
      [['server-information', 'applinks'], /unknown version/],
    ] as const) {
      for (const path of faults)
        await wiki.control.fail({ site: 'dataCenter', status: 404, path, times: null })
      const report = await open(wiki).check(signal)
      const { refs, warnings } = await listing(open(wiki)).finally(() => wiki.control.clearFaults())
      assert.match(report.steps.find(({ name }) => name === 'version')!.detail, words)
      assert.equal(refs.length, 60)
      assert.deepEqual(warnings, [])
    }
    // An old one that does not tell: what is missing is found out by asking.
    await under({ dcVersion: '7.13.0' }, async () => {
      await wiki.control.fail({
        site: 'dataCenter',
        status: 404,
        path: 'server-information|applinks',
        times: null,
      })
      const { refs, warnings } = await listing(open(wiki)).finally(() => wiki.control.clearFaults())
      assert.equal(refs.length, 60)
      assert.deepEqual(warnings, [])
    })
  })

  test('names every step of a check and what can be seen', async () => {
    const key = await openSpace(wiki)
    const report = await open(wiki, { spaces: [key] }).check(signal)
    assert.equal(report.ok, true)
    assert.deepEqual(
      report.steps.map(({ name }) => name),
      [
        'reach the wiki',
        'sign in',
        'version',
        'list spaces',
        `space ${key}`,
        'read a page',
        'read restrictions',
        'read space permissions',
        'read group members',
        'what can be seen',
      ],
    )
    assert.match(report.steps.at(-1)!.detail, /^1 of 2 spaces .*permissions can be proved in 1 of 1$/)
  })

  test('is read although cloud is true, and the check says so', async () => {
    const { username, password } = crawler
    const settings = { token: undefined, username, password, cloud: true }
    const report = await open(wiki, settings).check(signal)
    assert.equal(report.ok, true)
    const version = report.steps.find(({ name }) => name === 'version')!
    assert.equal(version.status, 'warning')
    assert.match(version.detail, /cloud is true, but .* Data Center 9\.2\.1/)
    const refs = (source: Source) => listing(source).then((listed) => listed.refs)
    assert.deepEqual(await refs(open(wiki, settings)), await refs(open(wiki)))
    const refused = await open(wiki, { ...settings, password: 'wrong' }).check(signal)
    assert.match(refused.reason!, /refused the credentials/)
  })

  test('passes a storm', async () => {
    await wiki.control.fail({ site: 'dataCenter', status: 429, headers: { 'retry-after': '0' }, times: 3 })
    await wiki.control.fail({ site: 'dataCenter', breaks: 'reset', times: 2 })
    const { refs, complete } = await listing(open(wiki)).finally(() => wiki.control.clearFaults())
    assert.ok(complete)
    assert.equal(refs.length, 60)
  })

  test('is never called complete when its listing breaks', async () => {
    for (const dcVersion of ['7.13.0', '9.2.1']) {
      await under({ dcVersion }, async () => {
        await wiki.control.fail({ site: 'dataCenter', status: 503, path: 'type=page', times: null })
        const listed = listing(open(wiki)).finally(() => wiki.control.clearFaults())
        await assert.rejects(listed, { code: 'source_unreachable' })
      })
    }
  })
})

describe('a Data Center wiki under another path', () => {
  for (const dcContext of ['/wiki', '', '/teams/wiki']) {
    test(`is read at "${dcContext}", whatever cloud says`, async () => {
      const wiki = await startWiki({
        seed: 8,
        spaces: 2,
        pages: 20,
        people: 6,
        groups: 3,
        settings: { dcContext },
      })
      try {
        const { username, password } = crawler
        const name = `${new URL(wiki.dataCenterUrl).host}${dcContext}`
        for (const cloud of [false, true]) {
          const { refs } = await listing(open(wiki, { token: undefined, username, password, cloud }))
          assert.equal(refs.length, 20)
          for (const { recordId, url, locator } of refs) {
            assert.equal(recordId, `${name}/${locator.page_id}`)
            assert.ok(url.startsWith(`http://${name}/pages/`))
          }
        }
      } finally {
        await wiki.stop()
      }
    })
  }
})

describe('a Cloud site with other settings than usual', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 6, spaces: 2, pages: 40, people: 6, groups: 3 })
  })
  after(() => wiki.stop())
  const token = { username: crawler.email, token: crawler.apiToken }

  test('is found with cloud false, by its address with or without /wiki', async () => {
    const usual = await listing(open(wiki, { url: wiki.siteUrl, ...token, cloud: true }))
    assert.equal(usual.refs.length, 40)
    for (const url of [wiki.siteUrl, wiki.cloudUrl]) {
      const { refs } = await listing(open(wiki, { url, ...token, cloud: false }))
      assert.deepEqual(refs, usual.refs)
    }
  })

  test('is read through the gateway with a scoped token, under the same record ids', async () => {
    const usual = await listing(open(wiki, { url: wiki.siteUrl, ...token, cloud: true }))
    for (const signIn of [
      { username: crawler.email, token: crawler.scopedToken, cloud: true },
      { username: crawler.email, token: crawler.scopedToken, cloud: false },
      { token: crawler.bearer, cloud: false },
    ]) {
      const source = open(wiki, { url: wiki.siteUrl, ...signIn })
      const { refs } = await listing(source)
      assert.deepEqual(refs, usual.refs)
      assert.equal((await reading(source, refs)).documents.size, 40)
    }
  })

  test('sends credentials to the gateway only once the site has named itself, to anybody', async () => {
    const scoped = { url: wiki.siteUrl, username: crawler.email, token: crawler.scopedToken, cloud: true }
    await wiki.control.resetCounts()
    await open(wiki, scoped).groupsOf('nobody', signal)
    const asked = await wiki.control.requests()
    const tenant = asked.findIndex(({ url }) => url === '/_edge/tenant_info')
    assert.ok(tenant >= 0 && tenant < asked.findIndex(({ url }) => url.startsWith('/ex/')))
    assert.equal(asked[tenant]!.authorized, false)

    for (const body of ['not found', { cloudId: '../../elsewhere' }]) {
      await wiki.control.resetCounts()
      await wiki.control.fail({ path: 'tenant_info', status: 200, body, times: null })
      const listed = listing(open(wiki, scoped)).finally(() => wiki.control.clearFaults())
      await assert.rejects(listed, { code: 'source_unauthorized' })
      assert.ok(!(await wiki.control.requests()).some(({ url }) => url.startsWith('/ex/')))
    }
  })

  test('says which scope is missing, and sends no password to the gateway', async () => {
    await wiki.control.setAccount('crawler', { scopes: ['read:page'] })
    const scoped = { username: crawler.email, token: crawler.scopedToken, cloud: true }
    const report = await open(wiki, { url: wiki.siteUrl, ...scoped }).check(signal)
    await wiki.control.setAccount('crawler', { scopes: null })
    assert.match(report.reason!, /lacks a scope/)

    await wiki.control.resetCounts()
    const password = { token: undefined, username: crawler.email, password: 'wrong', cloud: true }
    await assert.rejects(listing(open(wiki, { url: wiki.siteUrl, ...password })), {
      code: 'source_unauthorized',
    })
    const asked = await wiki.control.requests()
    assert.ok(!asked.some(({ url }) => url.startsWith('/ex/')))
  })
})
