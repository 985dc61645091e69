import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { crawler } from '../../../../test/world/world.ts'
import { type Principals, personTokens } from '../../../access.ts'
import type { DocumentRef } from '../../../document.ts'
import type { AppError } from '../../../errors.ts'
import type { ListingPage, Source } from '../../connector.ts'
import { createEgress } from '../../egress/guard.ts'
import type { Egress } from '../../egress.ts'
import { wikiSchema } from '../config.ts'
import { openWiki } from '../source.ts'

const { signal } = new AbortController()
const silent = { debug() {}, info() {}, warn() {}, error() {} }
let egress: Egress
before(() => {
  egress = createEgress({ publicOnly: false })
})
after(() => egress.close())

function open(wiki: Wiki, more: object = {}): Source {
  const signIn = { username: crawler.email, token: crawler.apiToken, cloud: true }
  const settings = { url: wiki.siteUrl, ...signIn, max_num_of_docs_from_each_space: 10_000, ...more }
  return openWiki(wikiSchema.parse(settings), { egress, log: silent }, { firstWaitMs: 5, timeoutMs: 5_000 })
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

type Someone = { user: string; groups: string[]; classes: string[] }
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
    active.map(async ({ accountId }) => ({ user: accountId, ...(await source.groupsOf(accountId, signal)) })),
  )
}
function refOf(refs: DocumentRef[], id: string): DocumentRef {
  const ref = refs.find(({ locator }) => locator.page_id === id)
  assert.ok(ref, `page ${id} is not listed`)
  return ref
}

describe('a wiki of 1,500 pages', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 7, spaces: 10, pages: 1500, people: 40, groups: 10 })
  })
  after(() => wiki.stop())

  test('is listed whole, in order and read with at most 0.1 requests a page', async () => {
    const source = open(wiki)
    await wiki.control.resetCounts()
    const { refs, ends, complete } = await listing(source)
    const { documents, errors } = await reading(source, refs)
    const { requests } = await wiki.control.counts()
    assert.ok(complete)
    assert.equal(documents.size, refs.length)
    assert.equal(errors.size, 0)
    assert.ok(requests / refs.length <= 0.1, `${requests} requests for ${refs.length} pages`)

    const { pages, spaces } = await wiki.control.truth()
    const open_ = new Set(spaces.filter(({ status }) => status === 'current').map(({ id }) => id))
    const expected = pages.filter(
      (page) => page.kind === 'page' && page.status === 'current' && open_.has(page.spaceId),
    )
    assert.deepEqual(new Set(refs.map((ref) => ref.locator.page_id)), new Set(expected.map(({ id }) => id)))
    assert.equal(ends.length, open_.size)
    for (const scope of ends.map((end) => end.scope)) {
      const positions = refs.filter((ref) => ref.scope === scope).map((ref) => ref.position)
      assert.deepEqual(positions, [...positions].sort())
    }
    for (const page of expected) {
      const ref = refOf(refs, page.id)
      assert.equal(ref.title, page.title)
      assert.equal(ref.version, String(page.version))
      assert.deepEqual(ref.labels, [...page.labels].sort())
      assert.equal(ref.author, page.authorId)
    }
  })

  test('lets exactly those read each page whom the wiki lets read it, in both written forms', async () => {
    const source = open(wiki)
    const { refs, warnings } = await listing(source)
    const people = await everybody(wiki, source)
    const readers = await wiki.control.readers('cloud')
    const wrong: string[] = []
    for (const ref of refs) {
      const allowed = new Set(readers[ref.locator.page_id!])
      for (const one of people) {
        const truth = allowed.has(one.user)
        if (isIn(ref.access.permissions[0].read, one) !== truth)
          wrong.push(`flat ${ref.recordId} ${one.user} ${truth}`)
        if (matches(ref.access.clauses, one) !== truth)
          wrong.push(`clauses ${ref.recordId} ${one.user} ${truth}`)
      }
    }
    assert.deepEqual(wrong.slice(0, 10), [])
    assert.deepEqual(warnings, [])
    assert.ok(refs.some((ref) => Object.keys(ref.access.clauses).length > 1))
  })

  test('is cut exactly by its limits, which are told', async () => {
    const { refs, warnings, ends, complete } = await listing(
      open(wiki, { max_num_of_spaces: 2, max_num_of_docs_from_each_space: 7 }),
    )
    assert.ok(complete)
    assert.equal(ends.length, 2)
    assert.ok(
      warnings.some(
        ({ code, message }) => code === 'spaces_left_out' && message.includes('max_num_of_spaces is 2'),
      ),
    )
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
      assert.ok(
        warnings.some(({ code, message }) => code === 'documents_left_out' && message.includes(scope)),
      )
    }
  })
})

describe('a small wiki', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, spaces: 3, pages: 90, people: 12, groups: 5 })
  })
  after(() => wiki.stop())

  test('agrees with the wiki on who may update and delete', async () => {
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
            wiki.control.canUpdate(one.user, id, 'cloud'),
            wiki.control.canDelete(one.user, id, 'cloud'),
          ])
          if (isIn(update, one) !== may[0]) wrong.push(`update ${id} ${one.user} ${may[0]}`)
          if (isIn(remove, one) !== may[1]) wrong.push(`delete ${id} ${one.user} ${may[1]}`)
        }),
      )
    }
    assert.deepEqual(wrong.slice(0, 10), [])
  })

  for (const roleMode of ['PRE_ROLES', 'ROLES'] as const) {
    test(`agrees with the wiki on who may read under ${roleMode}`, async () => {
      const was = await wiki.control.set({})
      await wiki.control.set({ roleMode })
      try {
        const source = open(wiki)
        const { refs } = await listing(source)
        const people = await everybody(wiki, source)
        const readers = await wiki.control.readers('cloud')
        const wrong = refs.flatMap((ref) =>
          people
            .filter(
              (one) =>
                isIn(ref.access.permissions[0].read, one) !==
                readers[ref.locator.page_id!]!.includes(one.user),
            )
            .map((one) => `${ref.scope} ${ref.locator.page_id} ${one.user}`),
        )
        assert.deepEqual(wrong.slice(0, 10), [])
      } finally {
        await wiki.control.set({ roleMode: was.roleMode })
      }
    })
  }

  test('reads restriction lists that are longer than one answer to their end', async () => {
    const { spaces, people, groups } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    const users = people.filter((person) => person.active).map(({ accountId }) => accountId)
    const id = await wiki.control.createPage({ space: key, title: 'long list' })
    const named = groups.filter((group) => !group.deleted).map((group) => group.id)
    await wiki.control.restrict(id, { read: { users, groups: named }, update: { users } })
    const { nestedLimit } = await wiki.control.set({})
    await wiki.control.set({ nestedLimit: 2 })
    try {
      const { refs } = await listing(open(wiki, { spaces: [key] }))
      const { clauses } = refOf(refs, id).access
      const own = Object.values(clauses).at(-1)!
      assert.equal(own.filter((token) => token.startsWith('user:')).length, users.length)
      assert.equal(own.filter((token) => token.startsWith('group:')).length, named.length)
    } finally {
      await wiki.control.set({ nestedLimit })
      await wiki.control.deletePage(id)
    }
  })

  test('reads personal and archived spaces that are named, and no others', async () => {
    const made = await wiki.control.addSpace({
      key: '~someone',
      name: 'Somebody',
      type: 'personal',
      permissions: [
        {
          principal: { type: 'access-class', id: 'all-licensed-users' },
          operation: { key: 'read', targetType: 'space' },
        },
      ],
    })
    await wiki.control.createPage({ space: '~someone', title: 'mine' })
    const personal = await listing(open(wiki, { spaces: ['~someone'] }))
    assert.deepEqual(new Set(personal.refs.map((ref) => ref.scope)), new Set(['~someone']))
    assert.ok(made.id)
    await wiki.control.setSpaceStatus('~someone', 'archived')
    assert.ok(!(await listing(open(wiki))).ends.some(({ scope }) => scope === '~someone'))
    const archived = await listing(open(wiki, { spaces: ['~someone'] }))
    assert.equal(archived.refs.length, personal.refs.length)
    await wiki.control.deleteSpace('~someone')
  })

  test('stops at once when it is cancelled', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    await assert.rejects(async () => {
      for await (const page of open(wiki).list(controller.signal)) {
        if (page.kind === 'refs') controller.abort(reason)
      }
    }, reason)
  })

  test('names a space that is not there, and the key where a name was given', async () => {
    const { spaces } = await wiki.control.truth()
    const { key, name } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    await assert.rejects(listing(open(wiki, { spaces: ['NOSUCH'] })), (error: AppError) => {
      assert.equal(error.code, 'source_space_missing')
      return error.message.includes('NOSUCH')
    })
    await assert.rejects(listing(open(wiki, { spaces: [name] })), (error: AppError) => {
      assert.equal(error.code, 'source_space_missing')
      return error.fix?.includes(key) ?? false
    })
  })

  test('counts the restriction of an ancestor that the limit left out', async () => {
    const { spaces, people } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    const child = (await listing(open(wiki, { spaces: [key], max_num_of_docs_from_each_space: 3 }))).refs.at(
      -1,
    )!
    const parent = await wiki.control.createPage({ space: key, title: 'late and closed' })
    const only = people.find((person) => person.accountType === 'atlassian' && person.active)!.accountId
    await wiki.control.restrict(parent, { read: { users: [only] } })
    await wiki.control.movePage(child.locator.page_id!, parent)
    const source = open(wiki, { spaces: [key], max_num_of_docs_from_each_space: 3 })
    const { refs } = await listing(source)
    assert.ok(!refs.some((ref) => ref.locator.page_id === parent))
    const moved = refOf(refs, child.locator.page_id!)
    assert.ok(moved.ancestors.some(({ id }) => id === parent))
    const readers = await wiki.control.readers('cloud')
    for (const one of await everybody(wiki, source)) {
      const truth = readers[moved.locator.page_id!]!.includes(one.user)
      assert.equal(isIn(moved.access.permissions[0].read, one), truth, one.user)
      assert.equal(matches(moved.access.clauses, one), truth, one.user)
    }
  })

  test('finds pages, restrictions and bodies that the search does not know yet', async () => {
    const { spaces, people } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    await wiki.control.holdSearch()
    try {
      const id = await wiki.control.createPage({
        space: key,
        title: 'fresh',
        view: '<p>fresh</p>',
        labels: ['new'],
      })
      await wiki.control.restrict(id, { read: { users: [people[0]!.accountId] } })
      const source = open(wiki, { spaces: [key] })
      const { refs } = await listing(source)
      const ref = refOf(refs, id)
      assert.deepEqual(ref.labels, ['new'])
      assert.ok(Object.keys(ref.access.clauses).length > 1)
      assert.match((await reading(source, [ref])).documents.get(id)!, /fresh/)
    } finally {
      await wiki.control.releaseSearch()
    }
  })

  test('says of known pages which are gone, and keeps those that are there', async () => {
    const source = open(wiki)
    const { refs } = await listing(source)
    const { spaces } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    const make = (title: string) => wiki.control.createPage({ space: key, title })
    const [kept, trashed, archived, deleted] = [
      await make('k'),
      await make('t'),
      await make('a'),
      await make('d'),
    ]
    await wiki.control.trashPage(trashed!)
    await wiki.control.archivePage(archived!)
    await wiki.control.deletePage(deleted!)
    const host = refs[0]!.recordId.split('/')[0]
    const known = (id: string, at = host) => ({
      recordId: `${at}/${id}`,
      locator: { space_key: key, page_id: id },
    })
    const asked = [kept, trashed, archived, deleted].map((id) => known(id!))
    const places = await source.whereabouts([...asked, known('1', 'other.example')], signal)
    const gone = [trashed, archived, deleted].map((id): [string, null] => [`${host}/${id}`, null])
    const there = { scope: key, position: kept!.padStart(20, '0') }
    assert.deepEqual(places, new Map<string, unknown>([[`${host}/${kept}`, there], ...gone]))

    const elsewhere = spaces.find((space) => space.key !== key && space.status === 'current')!.key
    const moved = await open(wiki, { spaces: [elsewhere] }).whereabouts([known(kept!)], signal)
    assert.deepEqual(moved, new Map([[`${host}/${kept}`, null]]))
  })

  test('gives a huge page a clear outcome of its own and reads its mates', async () => {
    const { spaces } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    const big = await wiki.control.createPage({ space: key, title: 'big' })
    await wiki.control.setBigBody(big, 30 * 1024 * 1024)
    const source = open(wiki, { spaces: [key] })
    const { refs } = await listing(source)
    const { documents, errors } = await reading(source, refs)
    assert.equal(errors.get(big)?.code, 'document_too_large')
    assert.equal(errors.size, 1)
    assert.equal(documents.size, refs.length - 1)
    await wiki.control.deletePage(big)
    const again = await reading(source, [refOf(refs, big)])
    assert.equal(again.errors.get(big)?.code, 'document_gone')
  })
})

describe('a wiki that stumbles', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 5, spaces: 2, pages: 60, people: 8, groups: 3 })
  })
  after(() => wiki.stop())

  const passing = {
    '429 with Retry-After': { status: 429, headers: { 'retry-after': '0' }, times: 3 },
    '429 without it': { status: 429, times: 2 },
    '503': { status: 503, times: 3 },
    'a reset connection': { breaks: 'reset', times: 2 },
    'an answer that breaks off': { breaks: 'text', times: 2 },
  } as const
  for (const [name, fault] of Object.entries(passing)) {
    test(`is listed and read whole through ${name}`, async () => {
      const expected = (await listing(open(wiki))).refs.length
      await wiki.control.fail(fault)
      const source = open(wiki)
      const { refs, complete } = await listing(source)
      const { documents } = await reading(source, refs)
      const hits = (await wiki.control.faults()).map((each) => each.hits)
      await wiki.control.clearFaults()
      assert.ok(complete)
      assert.equal(refs.length, expected)
      assert.equal(documents.size, expected)
      assert.ok(
        hits.every((count) => count > 0),
        'the fault was met',
      )
    })
  }

  const lasting = {
    source_unreachable: { status: 503, times: null },
    source_unauthorized: {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html>sign in</html>',
      times: null,
    },
    source_misread: { breaks: 'text', times: null },
  } as const
  for (const [code, fault] of Object.entries(lasting)) {
    test(`never calls a listing complete that ends in ${code}`, async () => {
      await wiki.control.fail({ ...fault, path: '/pages' })
      const seen: ListingPage[] = []
      await assert
        .rejects(
          async () => {
            for await (const page of open(wiki).list(signal)) seen.push(page)
          },
          (error: AppError) => error.code === code,
        )
        .finally(() => wiki.control.clearFaults())
      assert.ok(!seen.some((page) => page.kind === 'complete'))
    })
  }

  test('grants nobody a page whose restrictions cannot be read, nor what is below it, and says so', async () => {
    const { spaces } = await wiki.control.truth()
    const { key } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    const parent = await wiki.control.createPage({ space: key, title: 'p' })
    const child = await wiki.control.createPage({ space: key, title: 'c', parentId: parent })
    await wiki.control.fail({ status: 500, path: '/content/search', times: null })
    await wiki.control.fail({ status: 403, path: `/content/${parent}/restriction`, times: null })
    const { refs, warnings } = await listing(open(wiki, { spaces: [key] })).finally(() =>
      wiki.control.clearFaults(),
    )
    for (const id of [parent, child]) {
      const { access } = refOf(refs, id)
      assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
      assert.ok(access.unproved?.includes(parent))
    }
    assert.ok(warnings.some(({ code, documents }) => code === 'permissions_unproved' && documents === 2))
  })

  test('grants nobody a space whose permissions cannot be read, and says so', async () => {
    await wiki.control.fail({ status: 403, path: '/permissions', times: null })
    const { refs, warnings } = await listing(open(wiki)).finally(() => wiki.control.clearFaults())
    for (const { access } of refs) assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
    const told = warnings.filter(({ code }) => code === 'permissions_unproved')
    assert.equal(
      told.reduce((sum, { documents = 0 }) => sum + documents, 0),
      refs.length,
    )
  })

  test('reports each way a check can fail in one clear line', async () => {
    const well = await open(wiki).check(signal)
    assert.equal(well.ok, true)
    const wrongToken = await open(wiki, { token: 'wrong' }).check(signal)
    assert.equal(wrongToken.ok, false)
    assert.match(wrongToken.reason!, /credentials/)
    assert.equal(wrongToken.steps.at(-1)?.name, 'sign in')
    const missing = await open(wiki, { spaces: ['NOSUCH'] }).check(signal)
    assert.match(missing.reason!, /NOSUCH/)
    const nowhere = await open(wiki, { url: 'http://127.0.0.1:1' }).check(signal)
    assert.equal(nowhere.steps[0]?.status, 'failed')
    for (const report of [wrongToken, missing, nowhere]) assert.ok(!report.reason!.includes('\n'))
  })
})
