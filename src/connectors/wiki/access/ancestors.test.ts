import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnyOf, anyOf, LICENSED, UNQUALIFIED_NAMING } from '../../../access.ts'
import { AppError } from '../../../errors.ts'
import type { PageInfo, Space, Subject, WikiClient } from '../client.ts'
import { type Assumption, createDecisions } from './ancestors.ts'
import { createDirectory } from './directory.ts'
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
  const client = {
    naming: UNQUALIFIED_NAMING,
    members: async (group: string) => {
      const members = wiki.groups[group]
      if (!members) throw new AppError('source_forbidden', 'not allowed')
      return members.map(account)
    },
    accounts: async (ids: string[]) => ids.map(account),
    profiles: async (ids: string[]) => ids.map(account),
    profile: async (id: string) => account(id),
    permissionChecks: {
      permits: async ({ subject, pageId }) => {
        checkedPages.push(pageId)
        return wiki.may(subject, pageId)
      },
      groups: async () => Object.keys(wiki.groups),
    },
  } as Partial<WikiClient> as WikiClient
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
  const lineageOf = lineagesOf(nodes, { restrictions, unreadRestrictions: new Map() } as never)
  const tree = { space: { homepageId: 'home' } as Space, rows: [row], nodes, read: wiki.read, lineageOf }
  const { unprovedAncestors = 'hide' } = wiki
  const context = { client, directory: createDirectory(client), unprovedAncestors }
  const decisions = createDecisions(context)
  await decisions.decide(tree, signal)
  const decision = decisions.get(lineageOf('P'))
  assert.ok(decision)
  return { ...decision, checkedPages }
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
