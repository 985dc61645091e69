import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { type AnyOf, anyOf, LICENSED, UNQUALIFIED_NAMING } from '../../../permissions/principals.ts'
import type { DecisionStore, KeptDecision } from '../../type.ts'
import type { PageInfo, Space, Subject, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { type Assumption, createAccessContext } from './access-context.ts'
import { Decisions } from './decisions.ts'
import { lineagesOf } from './page-access.ts'

const { signal } = new AbortController()
const everyone = anyOf([], [], [LICENSED])

type Wiki = {
  /** Readers of the space. */
  read: AnyOf
  /** The restrictions of the page and of the page above the folder. */
  page?: AnyOf
  top?: AnyOf
  groups: Record<string, string[] | null>
  /** Whether the accounts have licence information. */
  licensed: boolean | null
  may(subject: Subject, pageId: string): boolean
  home?: { status: string }
  unprovedAncestors?: Assumption
  store?: DecisionStore
  /** The wiki names a restricted folder elsewhere. */
  discloses?: true
  /** The wiki names the folder itself as restricted, for the next time. */
  names?: true
}

const pageInfo = (id: string, parent: PageInfo['parent'], status = 'current') =>
  ({ id, kind: 'page', title: id, parent, status }) as PageInfo

/** The decision about a folder below the page `top`, for the page P in it. */
async function decisionOf(wiki: Wiki) {
  const checkedPages: string[] = []
  const account = (id: string) =>
    ({
      id,
      type: 'atlassian',
      name: null,
      status: 'active',
      guest: false,
      licensed: wiki.licensed,
    }) as const
  // The site is only named.
  const client = {
    site: { name: 'acme' },
    naming: UNQUALIFIED_NAMING,
    roles: async () => ({ mode: 'PRE_ROLES', permissions: new Map() }),
    containers: async function* () {},
    members: async (group: string) => {
      const members = wiki.groups[group]
      if (!members) throw new AppError('source_forbidden', 'not allowed')
      return members.map(account)
    },
    accounts: async (ids: string[]) => ids.map(account),
    profiles: async (ids: string[]) => ids.map(account),
    profile: async (id: string) => account(id),
    permissionChecks: {
      checkPermission: async ({ subject, pageId }: { subject: Subject; pageId: string }) => {
        checkedPages.push(pageId)
        return wiki.may(subject, pageId)
      },
      groups: async () => Object.keys(wiki.groups),
    },
  } as object as WikiClient
  const row = pageInfo('P', { id: 'F', type: 'folder' })
  const nodes = new Map([
    ['home', pageInfo('home', null, wiki.home?.status)],
    ['top', pageInfo('top', { id: 'home', type: 'page' })],
    ['F', pageInfo('F', { id: 'top', type: 'page' })],
    ['P', row],
  ])
  const restricted = Object.entries({ P: wiki.page, top: wiki.top })
  const restrictions = new Map(
    restricted.flatMap(([id, read]) => (read ? [[id, { read, update: null }] as const] : [])),
  )
  const { unprovedAncestors = 'hide', store } = wiki
  const config = { unproved_ancestors: unprovedAncestors } as WikiConfig
  const context = createAccessContext({ client, config, store, files: false }, signal)
  const decisions = new Decisions(context, { id: '1', key: 'ENG', homepageId: 'home' } as Space)
  await decisions.load()
  if (wiki.discloses) context.disclosed.add([container(anyOf(['zoe']))])
  const metadata = { restrictions, unreadRestrictions: new Map() } as never
  let lineageOf = lineagesOf(nodes, metadata, decisions)
  const decide = () => decisions.decide({ rows: [row], nodes, read: wiki.read, lineageOf }, signal)
  while (!(await decide())) lineageOf = lineagesOf(nodes, metadata, decisions)
  if (wiki.names) decisions.addRestricted(['F'])
  await decisions.save({ isWhole: true })
  const decision = decisions.get(lineageOf('P')) ?? { level: null, assumed: null, unproved: null }
  return { ...decision, checkedPages, discloses: context.disclosed.discloses('folder') }
}

/** A folder elsewhere on the site that the wiki names as restricted. */
const container = (read: AnyOf) => {
  const restrictions = { restriction: { read, update: null }, accounts: [], complete: true }
  return { id: 'elsewhere', type: 'folder', title: '', ancestors: [], restrictions }
}

const isUser = (...ids: string[]) => {
  return (subject: Subject) => subject.kind === 'user' && ids.includes(subject.id)
}

describe('a folder with only restricted pages below it', () => {
  const hidden: Wiki = {
    read: everyone,
    page: anyOf([], ['g2']),
    groups: { g2: ['ann', 'ben'] },
    licensed: null,
    may: (subject, pageId) => pageId === 'home' && subject.kind === 'user',
  }

  test('refuses people whom the wiki refuses, even if licences are unknown', async () => {
    assert.deepEqual((await decisionOf(hidden)).level, anyOf())
    const { level } = await decisionOf({ ...hidden, may: isUser('ann') })
    assert.deepEqual(level, anyOf(['ann']))
  })

  test('is open if the wiki lets all of them read, even if licences are unknown', async () => {
    const { level, assumed } = await decisionOf({ ...hidden, may: ({ kind }) => kind === 'user' })
    assert.deepEqual({ level, assumed }, { level: null, assumed: null })
  })

  test('lets only confirmed people pass if the members of a group cannot be read', async () => {
    const both = { ...hidden, read: anyOf([], ['g1']), groups: { g1: null, g2: ['ann', 'ben'] } }
    assert.deepEqual((await decisionOf({ ...both, may: isUser('ann') })).level, anyOf(['ann']))
    const neither = { ...both, groups: { g1: null, g2: null }, may: () => false }
    const { level, unproved } = await decisionOf(neither)
    assert.deepEqual(level, anyOf())
    assert.match(unproved ?? '', /could not be read/)
  })

  test('lets only confirmed people pass if some are known and others are not', async () => {
    const space = anyOf(['ann'], ['g1'])
    const some = { ...hidden, read: space, groups: { g1: null, g2: ['ann', 'ben'] } }
    assert.deepEqual((await decisionOf({ ...some, may: isUser('ann') })).level, anyOf(['ann']))
  })

  test('is decided by the setting if the account may not check', async () => {
    const refusing = () => {
      throw new AppError('source_forbidden', 'not an administrator')
    }
    for (const unprovedAncestors of ['hide', 'open'] as const) {
      const { level, assumed } = await decisionOf({ ...hidden, may: refusing, unprovedAncestors })
      assert.deepEqual(level, unprovedAncestors === 'hide' ? anyOf() : null)
      assert.equal(assumed, 'not an administrator')
    }
  })

  test('grants nothing if no one may read the page', async () => {
    const apart = { g1: ['cem'], g2: ['ann'] }
    const wiki = { ...hidden, read: anyOf([], ['g1']), groups: apart, licensed: true, may: () => false }
    assert.deepEqual((await decisionOf(wiki)).level, anyOf())
    assert.deepEqual((await decisionOf({ ...hidden, page: anyOf() })).level, anyOf())
  })

  test('uses a current page as the open page to compare with', async () => {
    const wiki = { ...hidden, read: anyOf([], ['g2']), licensed: true, may: () => false }
    assert.ok((await decisionOf(wiki)).checkedPages.includes('home'))
    assert.ok(!(await decisionOf({ ...wiki, home: { status: 'archived' } })).checkedPages.includes('home'))
  })
})

/** A store in memory, with a clock for what it keeps. */
function memory() {
  const rows = new Map<string, KeptDecision>()
  const store: DecisionStore = {
    read: async (scope) => [...rows].flatMap(([key, row]) => (key.startsWith(`${scope}:`) ? [row] : [])),
    write: async (scope, { put, drop }) => {
      for (const key of drop) rows.delete(`${scope}:${key}`)
      for (const row of put) rows.set(`${scope}:${row.key}`, structuredClone(row))
    },
  }
  const age = (hours: number) => {
    for (const row of rows.values()) row.checkedAt = new Date(row.checkedAt.getTime() - hours * 3_600_000)
  }
  return { store, rows, age }
}

describe('a decision that is kept', () => {
  const open = (): Wiki => ({
    read: anyOf([], ['g1']),
    groups: { g1: ['ann', 'ben'] },
    licensed: true,
    may: () => true,
  })
  const closed = (): Wiki => ({
    ...open(),
    may: (subject, pageId) => pageId === 'home' || isUser('ann')(subject),
  })

  test('needs no check in the next listing', async () => {
    const { store } = memory()
    assert.equal((await decisionOf({ ...open(), store })).checkedPages.length, 1)
    const again = await decisionOf({ ...open(), store })
    assert.deepEqual([again.level, again.checkedPages], [null, []])
    const restricted = memory()
    await decisionOf({ ...closed(), store: restricted.store })
    const same = await decisionOf({ ...closed(), store: restricted.store })
    assert.deepEqual([same.level, same.checkedPages], [anyOf(['ann']), []])
  })

  test('is proved again within a day, and decided again if someone is refused', async () => {
    const { store, age } = memory()
    await decisionOf({ ...open(), store })
    age(11)
    assert.deepEqual((await decisionOf({ ...closed(), store })).level, null, 'not before half a day')
    age(14)
    assert.deepEqual((await decisionOf({ ...closed(), store })).level, anyOf(['ann']))
    age(25)
    assert.deepEqual((await decisionOf({ ...open(), may: () => false, store })).level, anyOf())
  })

  test('is decided again if the space, the place or the members of a group change', async () => {
    for (const change of [
      { read: anyOf(['zoe'], ['g1']) },
      { groups: { g1: ['ann', 'ben', 'cem'] } },
      { top: anyOf([], ['g1']) },
    ]) {
      const { store } = memory()
      await decisionOf({ ...open(), store })
      const { level } = await decisionOf({ ...closed(), ...change, store })
      assert.deepEqual(level, anyOf(['ann']), JSON.stringify(Object.keys(change)))
    }
  })

  test('about single people is decided again if the members of any group change', async () => {
    const { store } = memory()
    const groups = { g1: ['ann', 'ben'], g2: ['ann'] }
    await decisionOf({ ...closed(), groups, store })
    const { level } = await decisionOf({
      ...{ ...closed(), groups: { ...groups, g2: [] }, store },
      may: (_, pageId) => pageId === 'home',
    })
    assert.deepEqual(level, anyOf())
  })

  test('does not apply to another site or space with the same key', async () => {
    const { store, rows } = memory()
    await decisionOf({ ...open(), store })
    for (const [id, row] of [...rows]) {
      rows.delete(id)
      const key = row.key.replace('acme/1/', 'acme/2/')
      rows.set(`ENG:${key}`, { ...row, key })
    }
    assert.deepEqual((await decisionOf({ ...closed(), store })).level, anyOf(['ann']))
    assert.deepEqual(
      [...rows.values()].filter(({ key }) => key.startsWith('acme/2/')),
      [],
    )
  })
})

describe('a site that names restricted folders', () => {
  const open: Wiki = {
    read: anyOf([], ['g1']),
    groups: { g1: ['ann', 'ben'] },
    licensed: true,
    may: () => true,
    discloses: true,
  }
  const hides = (subject: Subject, pageId: string) => pageId === 'home' || isUser('ann')(subject)

  test('needs one check as a sample', async () => {
    const { level, checkedPages, discloses } = await decisionOf(open)
    assert.deepEqual(
      { level, checkedPages, discloses },
      { level: null, checkedPages: ['P'], discloses: true },
    )
  })

  test('is not trusted if a check refuses someone below a folder with an empty list', async () => {
    const { store } = memory()
    const { level, discloses } = await decisionOf({ ...open, may: hides, store })
    assert.deepEqual({ level, discloses }, { level: anyOf(['ann']), discloses: false })
    assert.equal((await decisionOf({ ...open, store })).discloses, false, 'nor the next time')
  })

  test('is checked about a folder that was restricted before', async () => {
    const { store } = memory()
    await decisionOf({ ...open, names: true, store })
    // The sample asks for a group, which passes.
    const may = (subject: Subject, pageId: string) => subject.kind === 'group' || hides(subject, pageId)
    const wiki = { ...open, read: anyOf(['cem'], ['g1']), may, store }
    const { level, discloses } = await decisionOf(wiki)
    assert.deepEqual({ level, discloses }, { level: anyOf([], ['g1']), discloses: false })
  })
})
