import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sourcesOn } from '../../../../test/world/sites.ts'
import { accounts } from '../../../../test/world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { allPeople, matches, wrongReaders } from '../../../../test/world/wiki-readers.ts'
import {
  anySpace,
  dataCenter as deployment,
  listAll,
  pageOf,
  readAll,
} from '../../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../../document.ts'
import { NO_ONE_TOKEN } from '../../../permissions/principals.ts'
import type { Source } from '../../source.ts'

const { crawler } = accounts
const { signal } = new AbortController()
const open = sourcesOn(deployment)

describe('a Data Center wiki of 1,500 pages', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 11, spaces: 10, pages: 1500, people: 40, groups: 10 })
  })
  after(() => wiki.stop())

  test('grants nothing through visitor permissions if the wiki refuses anonymous access', async () => {
    for (const dcVersion of ['7.13.0', '9.2.1']) {
      await wiki.control.set({ dcVersion, dcVisitors: true })
      const anonymous = (refs: DocumentRef[]) =>
        refs.filter(({ access }) => access.permissions[0].read.access_classes?.includes('anonymous-users'))
      assert.ok(anonymous((await listAll(open(wiki))).refs).length > 0)
      await wiki.control.set({ dcVisitors: false })
      const source = open(wiki)
      const { refs } = await listAll(source)
      assert.equal(anonymous(refs).length, 0)
      assert.deepEqual((await wrongReaders({ wiki, deployment }, source, refs)).slice(0, 10), [])
      await wiki.control.set({ dcVisitors: true })
    }
  })
})

describe('a small Data Center wiki', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, spaces: 4, pages: 120, people: 12, groups: 5 })
  })
  after(() => wiki.stop())

  const quirks = {
    'links that hold the context': { dcNextWithContext: true },
    'a next link where nothing follows': { dcPhantomNext: true },
    'next links that count one too few': { dcUnderCount: true },
    'links that count right': { dcUnderCount: false, dcNextWithContext: false },
  }
  for (const [name, settings] of Object.entries(quirks)) {
    test(`is listed completely through ${name}, old and new`, async () => {
      const was = await wiki.control.set({})
      try {
        for (const dcVersion of ['7.13.0', '9.2.1']) {
          await wiki.control.set({ ...settings, dcVersion })
          const { refs, complete } = await listAll(open(wiki))
          assert.ok(complete)
          assert.equal(refs.length, 120)
        }
      } finally {
        await wiki.control.set(was)
      }
    })
  }

  test('signs in with a token, with a password, and with a password in the token field', async () => {
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

  test('keeps the context path in addresses and record ids, with or without a trailing slash', async () => {
    const { host } = new URL(wiki.dataCenterUrl)
    for (const url of [wiki.dataCenterUrl, `${wiki.dataCenterUrl}/`]) {
      const { refs } = await listAll(open(wiki, { url, spaces: [await anySpace(wiki)] }))
      const [ref] = refs
      assert.equal(ref!.recordId, `${host}/confluence/${ref!.locator.page_id}`)
    }
    const elsewhere = await open(wiki, { url: new URL(wiki.dataCenterUrl).origin }).check(signal)
    assert.equal(elsewhere.ok, false)
    assert.match(elsewhere.reason!, /is not a wiki/)
  })

  test('treats a token with a username as a password, and says so if it is rejected', async () => {
    const report = await open(wiki, { username: crawler.username, token: crawler.pat }).check(signal)
    assert.match(report.reason!, /rejected the credentials .* remove username/)
  })

  test('reads groups with special characters, and grants nothing if the server cannot', async () => {
    const key = await anySpace(wiki)
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
    const { refs } = await listAll(source)
    assert.deepEqual(
      await wrongReaders(
        { wiki, deployment },
        source,
        refs.filter((ref) => ref.title !== 'ops/night'),
      ),
      [],
    )
    assert.equal(pageOf(refs, unicode).access.unproved, undefined)
    const { access } = pageOf(refs, slashed)
    const one = (await allPeople({ wiki, deployment }, source)).find(
      ({ accountId }) => accountId === inside.accountId,
    )!
    assert.ok(matches(access.clauses, one), 'the clauses need no members')
    assert.match(access.unproved!, /ops\/night/)
    for (const id of [unicode, slashed]) await wiki.control.deletePage(id)
  })

  test('reads an archived space only if it is named', async () => {
    const { spaces } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.status === 'archived')!
    assert.ok(!(await listAll(open(wiki))).ends.some(({ scope }) => scope === key))
    const source = open(wiki, { spaces: [key] })
    const { refs } = await listAll(source)
    assert.ok(refs.length > 0)
    assert.equal((await readAll(source, refs)).documents.size, refs.length)
  })
})

describe('a Data Center wiki with incomplete answers', () => {
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
  const noOne = { users: [], groups: [] }

  const silences = {
    'administrators of the space': { dcVersion: '9.2.1', token: accounts.powerless.pat },
    'only to administrators': { dcVersion: '8.5.4', token: accounts.powerless.pat },
    'remote API of .* is off': { dcVersion: '8.5.4', dcJsonRpc: 'off' },
    'secure administrator sessions': { dcVersion: '7.13.0', dcJsonRpc: 'websudo' },
  }
  for (const [words, { token = crawler.pat, ...settings }] of Object.entries<Record<string, string>>(
    silences,
  )) {
    test(`grants no one, not even the super group, and says why: ${words}`, async () => {
      await under(settings, async () => {
        const { refs, warnings, complete } = await listAll(open(wiki, { token }))
        assert.ok(complete)
        assert.equal(refs.length, 60)
        for (const { access } of refs) {
          assert.deepEqual(access.permissions[0].read, noOne)
          assert.deepEqual(access.clauses, { c0: [NO_ONE_TOKEN] })
        }
        const unproved = warnings.filter(({ code }) => code === 'permissions_unproved')
        assert.equal(unproved.length, 2)
        for (const { message } of unproved) assert.match(message, new RegExp(words))
        const report = await open(wiki, { token }).check(signal)
        const failed = report.steps.find(({ name }) => name === 'read space permissions')!
        assert.equal(failed.status, 'failed')
        assert.match(failed.detail, new RegExp(words))
        assert.ok(failed.fix)
      })
    })
  }

  test('is listed by an account that is no administrator, and the check names the permission', async () => {
    const refusal = { status: 401, headers: { 'x-seraph-loginreason': 'OK' } }
    await wiki.control.fail({ site: 'dataCenter', path: '/group/[^/]+/member', ...refusal, times: null })
    const { refs, complete } = await listAll(open(wiki))
    const { ok, steps } = await open(wiki).check(signal)
    await wiki.control.clearFaults()
    assert.ok(complete)
    assert.equal(refs.length, 60)
    assert.equal(ok, true)
    const members = steps.find(({ name }) => name === 'read group members')
    assert.equal(members?.status, 'warning')
    assert.match(`${members?.detail} ${members?.fix}`, /only to .*administrators.* Confluence Administrator/)
  })

  test('explains rejected credentials: a wrong token, a sign-in page, a captcha', async () => {
    const wrong = await open(wiki, { token: 'wrong' }).check(signal)
    assert.match(wrong.reason!, /rejected the credentials/)
    assert.equal(wrong.steps.at(-1)?.name, 'sign in')
    await under({ dcLoginPage: true }, async () => {
      assert.match((await open(wiki).check(signal)).reason!, /answered with a web page/)
      await assert.rejects(listAll(open(wiki)), { code: 'source_unauthorized' })
    })
    await under({ dcCaptcha: true }, async () => {
      const { username, password } = crawler
      const report = await open(wiki, { token: undefined, username, password }).check(signal)
      assert.match(report.reason!, /captcha/)
    })
    // Before 7.9 there are no tokens.
    await under({ dcVersion: '7.4.0' }, async () => {
      await assert.rejects(listAll(open(wiki)), { code: 'source_unauthorized' })
    })
  })

  test('detects the version from the manifest, or works without', async () => {
    for (const [faults, words] of [
      [['server-information'], /Data Center 9\.2\.1/],
      [['server-information', 'applinks'], /unknown version/],
    ] as const) {
      for (const path of faults)
        await wiki.control.fail({ site: 'dataCenter', status: 404, path, times: null })
      const report = await open(wiki).check(signal)
      const { refs, warnings } = await listAll(open(wiki)).finally(() => wiki.control.clearFaults())
      assert.match(report.steps.find(({ name }) => name === 'version')!.detail, words)
      assert.equal(refs.length, 60)
      assert.deepEqual(warnings, [])
    }
    // An old one without a version: missing endpoints are detected by requests.
    await under({ dcVersion: '7.13.0' }, async () => {
      await wiki.control.fail({
        site: 'dataCenter',
        status: 404,
        path: 'server-information|applinks',
        times: null,
      })
      const { refs, warnings } = await listAll(open(wiki)).finally(() => wiki.control.clearFaults())
      assert.equal(refs.length, 60)
      assert.deepEqual(warnings, [])
    })
  })

  test('reports every step of a check and what can be seen', async () => {
    const key = await anySpace(wiki)
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
        'what will be dropped',
        'what will be hidden',
        'what can be seen',
      ],
    )
    assert.match(report.steps.at(-1)!.detail, /^1 of 2 spaces .*permissions can be verified in 1 of 1$/)
  })

  test('is read although cloud is true, and the check says so', async () => {
    const { username, password } = crawler
    const settings = { token: undefined, username, password, cloud: true }
    const report = await open(wiki, settings).check(signal)
    assert.equal(report.ok, true)
    const version = report.steps.find(({ name }) => name === 'version')!
    assert.equal(version.status, 'warning')
    assert.match(version.detail, /cloud is true, but .* Data Center 9\.2\.1/)
    const refs = (source: Source) => listAll(source).then((listed) => listed.refs)
    assert.deepEqual(await refs(open(wiki, settings)), await refs(open(wiki)))
    const refused = await open(wiki, { ...settings, password: 'wrong' }).check(signal)
    assert.match(refused.reason!, /rejected the credentials/)
  })

  test('survives many failures', async () => {
    await wiki.control.fail({ site: 'dataCenter', status: 429, headers: { 'retry-after': '0' }, times: 3 })
    await wiki.control.fail({ site: 'dataCenter', breaks: 'reset', times: 2 })
    const { refs, complete } = await listAll(open(wiki)).finally(() => wiki.control.clearFaults())
    assert.ok(complete)
    assert.equal(refs.length, 60)
  })

  test('is never called complete when its listing breaks', async () => {
    for (const dcVersion of ['7.13.0', '9.2.1']) {
      await under({ dcVersion }, async () => {
        await wiki.control.fail({ site: 'dataCenter', status: 503, path: 'type=page', times: null })
        const ending = listAll(open(wiki)).finally(() => wiki.control.clearFaults())
        await assert.rejects(ending, { code: 'source_unreachable' })
      })
    }
  })
})
