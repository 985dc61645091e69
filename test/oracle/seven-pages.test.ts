import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matches, SITE, type WrittenAccess } from './comparison.ts'
import { may, OPERATIONS, type Operation } from './oracle.ts'
import { type Account, ALL_READABLE, type RawWiki, type RestrictionNames, VISITOR } from './random-wiki.ts'
import { readerOf } from './readers.ts'
import { resolverOf } from './resolvers.ts'
import {
  cast,
  type Name,
  names,
  pages,
  type Restricted,
  type SevenPage,
  spaces,
  teams,
} from './seven-pages.ts'

const who: Record<Operation, 'readers' | 'editors' | 'deleters'> = {
  read: 'readers',
  update: 'editors',
  delete: 'deleters',
}

describe('the seven pages with difficult permissions', () => {
  for (const page of pages) {
    test(`it grants read, update and delete of ${page.title} to exactly the expected people`, () => {
      const wiki = wikiOf(page.space)
      const node = wiki.nodes.find(({ id }) => id === page.title)!
      const written = resolverOf()(wiki, ALL_READABLE)(node)
      assert.equal(written.unproved, undefined)
      for (const operation of OPERATIONS) {
        const expected = page[who[operation]]
        assert.deepEqual(
          names.filter((name) => may(wiki, account(name), node, operation)),
          expected,
          `the oracle: ${operation}`,
        )
        assert.deepEqual(
          names.filter((name) => isListed(written, name, operation)),
          expected,
          `the lists: ${operation}`,
        )
      }
      const byClauses = names.filter((name) => matches(readerOf(wiki, account(name)), written.clauses))
      assert.deepEqual(byClauses, page.readers)
      assert.equal(matches(readerOf(wiki, VISITOR), written.clauses), false)
    })
  }

  const readOf = (title: string) => {
    const page = pages.find((each) => each.title === title)!
    const wiki = wikiOf(page.space)
    const written = resolverOf()(wiki, ALL_READABLE)(wiki.nodes.find(({ id }) => id === title)!)
    return { lists: written.permissions[0]!.read, clauses: written.clauses }
  }
  const { Ann, Ben, Cem, Dia, Bot } = cast
  const licensed = [`class:${SITE}/all-licensed-users`]

  test('it keeps a group if that is exact, and the AND in the clauses', () => {
    assert.deepEqual(readOf('restricted above alone'), {
      lists: { users: [], groups: [teams.red.id] },
      clauses: { c0: licensed, c1: [`group:${SITE}/${teams.red.id}`] },
    })
    assert.deepEqual(readOf('both restricted, to different groups'), {
      lists: { users: [Dia.id], groups: [] },
      clauses: {
        c0: licensed,
        c1: [`group:${SITE}/${teams.red.id}`],
        c2: [`group:${SITE}/${teams.blue.id}`],
      },
    })
    assert.deepEqual(readOf('a person inside the group of the page above'), {
      lists: { users: [Ann.id], groups: [] },
      clauses: {
        c0: licensed,
        c1: [`group:${SITE}/${teams.red.id}`],
        c2: [`user:${Ann.id}`, `user:${Cem.id}`],
      },
    })
  })

  test('it keeps a class, and never writes an empty list', () => {
    assert.deepEqual(readOf('the space alone').lists, {
      users: [],
      groups: [],
      access_classes: ['all-licensed-users'],
    })
    assert.deepEqual(readOf('an app account alone'), {
      lists: { users: [], groups: [] },
      clauses: { c0: licensed, c1: [`user:${Bot.id}`] },
    })
  })

  test('it applies an update restriction without changing readers', () => {
    const wiki = wikiOf('SEVEN')
    const node = wiki.nodes.find(({ id }) => id === 'restricted above alone')!
    const written = resolverOf()(wiki, ALL_READABLE)(node)
    assert.deepEqual(written.permissions[1]!.update, { users: [Ben.id], groups: [] })
    assert.deepEqual(written.permissions[0]!.read?.groups, [teams.red.id])
  })
})

/** One space with its pages; a page's title is its id. */
function wikiOf(space: keyof typeof spaces): RawWiki {
  return {
    accounts: [...names.map(account), VISITOR],
    groups: Object.values(teams).map(({ id, members }) => ({
      id,
      members: members.map((name) => cast[name].id),
      deleted: false,
    })),
    grants: spaces[space].flatMap(({ to, operations }) =>
      operations.map((operation) => {
        if ('class' in to) return { kind: 'class' as const, id: to.class, operation }
        if ('team' in to) return { kind: 'group' as const, id: teams[to.team].id, operation }
        return { kind: 'user' as const, id: cast[to.person].id, operation }
      }),
    ),
    superGroup: null,
    nodes: pages.filter((page) => page.space === space).map(nodeOf),
  }
}

function nodeOf({ title, below, read, update }: SevenPage): RawWiki['nodes'][number] {
  return {
    id: title,
    kind: 'page',
    parent: below ?? null,
    creator: cast.Cem.id,
    read: namesOf(read),
    update: namesOf(update),
  }
}

function namesOf({ people = [], teams: named = [] }: Restricted = {}): RestrictionNames {
  return { users: people.map((name) => cast[name].id), groups: named.map((team) => teams[team].id), lost: 0 }
}

function account(name: Name): Account {
  return { ...cast[name], classes: [] }
}

function isListed({ permissions }: WrittenAccess, name: Name, operation: Operation): boolean {
  const list = permissions.find((each) => each[operation])?.[operation]
  const ofTeams = Object.values(teams).filter(({ members }) => members.some((member) => member === name))
  return Boolean(
    list?.users.includes(cast[name].id) ||
      ofTeams.some(({ id }) => list?.groups.includes(id)) ||
      (cast[name].kind === 'person' && list?.access_classes?.includes('all-licensed-users')),
  )
}
