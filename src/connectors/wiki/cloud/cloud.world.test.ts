import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sourcesOn } from '../../../../test/world/sites.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { wrongReaders } from '../../../../test/world/wiki-readers.ts'
import {
  anySpace,
  cloud as deployment,
  listAll,
  pageOf,
  readAll,
} from '../../../../test/world/wiki-source.ts'
import type { AppError } from '../../../errors.ts'
import type { ListingPage } from '../../source.ts'

const { signal } = new AbortController()
const open = sourcesOn(deployment)

describe('a small wiki', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, spaces: 3, pages: 90, people: 12, groups: 5 })
  })
  after(() => wiki.stop())

  for (const roleMode of ['PRE_ROLES', 'ROLES'] as const) {
    test(`agrees with the wiki on who may read under ${roleMode}`, async () => {
      const was = await wiki.control.set({})
      await wiki.control.set({ roleMode })
      try {
        const source = open(wiki)
        const { refs } = await listAll(source)
        assert.deepEqual((await wrongReaders({ wiki, deployment }, source, refs)).slice(0, 10), [])
      } finally {
        await wiki.control.set({ roleMode: was.roleMode })
      }
    })
  }

  test('reads personal and archived spaces only if they are named', async () => {
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
    const personal = await listAll(open(wiki, { spaces: ['~someone'] }))
    assert.deepEqual(new Set(personal.refs.map((ref) => ref.scope)), new Set(['~someone']))
    assert.ok(made.id)
    await wiki.control.setSpaceStatus('~someone', 'archived')
    assert.ok(!(await listAll(open(wiki))).ends.some(({ scope }) => scope === '~someone'))
    const archived = await listAll(open(wiki, { spaces: ['~someone'] }))
    assert.equal(archived.refs.length, personal.refs.length)
    await wiki.control.deleteSpace('~someone')
  })

  test('finds guests among its people, by name and with their addresses', async () => {
    const accountId = '557058:guest-of-cloud'
    await wiki.control.addPerson({ accountId, name: 'Quentin Guest', guest: true })
    assert.deepEqual(
      (await open(wiki).people.find('Quentin', signal)).map(({ id }) => id),
      [accountId],
    )
    assert.ok((await open(wiki).emails(signal)).some(({ account }) => account === accountId))
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

  test('names a missing space, and suggests the key if a name was given', async () => {
    const { spaces } = await wiki.control.truth()
    const { key, name } = spaces.find((space) => space.type === 'global' && space.status === 'current')!
    await assert.rejects(listAll(open(wiki, { spaces: ['NOSUCH'] })), (error: AppError) => {
      assert.equal(error.code, 'source_space_missing')
      return error.message.includes('NOSUCH')
    })
    await assert.rejects(listAll(open(wiki, { spaces: [name] })), (error: AppError) => {
      assert.equal(error.code, 'source_space_missing')
      return error.fix?.includes(key) ?? false
    })
  })
})

describe('a wiki with failures', () => {
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
    test(`is listed and read completely through ${name}`, async () => {
      const expected = (await listAll(open(wiki))).refs.length
      await wiki.control.fail(fault)
      const source = open(wiki)
      const { refs, complete } = await listAll(source)
      const { documents } = await readAll(source, refs)
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

  test('grants no one a page with unreadable restrictions or its descendants, and warns', async () => {
    const key = await anySpace(wiki)
    const parent = await wiki.control.createPage({ space: key, title: 'p' })
    const child = await wiki.control.createPage({ space: key, title: 'c', parentId: parent })
    await wiki.control.fail({ status: 500, path: '/content/search', times: null })
    await wiki.control.fail({ status: 403, path: `/content/${parent}/restriction`, times: null })
    const { refs, warnings } = await listAll(open(wiki, { spaces: [key] })).finally(() =>
      wiki.control.clearFaults(),
    )
    for (const id of [parent, child]) {
      const { access } = pageOf(refs, id)
      assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
      assert.ok(access.unproved?.includes(parent))
    }
    assert.ok(warnings.some(({ code, documents }) => code === 'permissions_unproved' && documents === 2))
  })

  test('grants no one a space with unreadable permissions, and warns', async () => {
    for (const path of ['/permissions', 'include-permissions'])
      await wiki.control.fail({ status: 403, path, times: null })
    const { refs, warnings } = await listAll(open(wiki)).finally(() => wiki.control.clearFaults())
    for (const { access } of refs) assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
    const unproved = warnings.filter(({ code }) => code === 'permissions_unproved')
    assert.equal(
      unproved.reduce((sum, { documents = 0 }) => sum + documents, 0),
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
