import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type AllOf, clauses, type Directory, directoryLookups, flatten } from './algebra.ts'
import { NO_ACCESS } from './levels.ts'
import {
  ANONYMOUS,
  type AnyOf,
  AUTHENTICATED,
  anyOf,
  LICENSED,
  NO_ONE_TOKEN,
  NO_PRINCIPALS,
  personTokens,
  siteNaming,
  toPrincipals,
  UNQUALIFIED_NAMING,
  unescapeName,
} from './principals.ts'

const USERS = ['u1', 'u2', 'u3', 'app1', 'guest1', 'off1']
const GROUPS = ['g1', 'g2', 'g3', 'g4']
const ADMINS = 'product-admins'

/** All groups and people; a directory may know only some of them. */
type World = { members: Map<string, Set<string>>; admins: Set<string> }
const isPerson = (user: string) => user.startsWith('u')
const isOff = (user: string) => user.startsWith('off')
const isIn = (user: string, name: string) =>
  name === LICENSED ? isPerson(user) : isPerson(user) || user.startsWith('app')
const naming = siteNaming('wiki.example', 'per site')

const world: fc.Arbitrary<World> = fc.record({
  members: fc
    .tuple(...GROUPS.map(() => fc.subarray(USERS)))
    .map((lists) => new Map(GROUPS.map((group, i) => [group, new Set(lists[i])]))),
  admins: fc.subarray(USERS.filter(isPerson)).map((list) => new Set(list)),
})
const level = (classes: string[]) =>
  fc
    .tuple(fc.subarray(USERS), fc.subarray(GROUPS), fc.subarray(classes))
    .map(([users, groups, names]) => anyOf(users, groups, names))
const levels = (classes: string[], most = 5) => fc.array(level(classes), { minLength: 1, maxLength: most })

function directoryOf(
  { members, admins }: World,
  unreadable: string[] = [],
  unknownUsers: string[] = [],
): Directory {
  return {
    members: (group) => (unreadable.includes(group) ? undefined : members.get(group)),
    naming,
    isIgnored: (user) => !unknownUsers.includes(user) && isOff(user),
    inClass: (user, name) => {
      if (name === ADMINS) return admins.has(user)
      return name === 'unknown-class' || unknownUsers.includes(user) ? undefined : isIn(user, name)
    },
  }
}

type Someone = { user?: string; groups: string[]; classes: string[] }
/** Everyone: the visitor, and each account with its groups and classes. */
function everyone({ members, admins }: World): Someone[] {
  // An inactive account has no tokens.
  const accounts = USERS.filter((user) => !isOff(user)).map((user) => ({
    user,
    groups: GROUPS.filter((group) => members.get(group)!.has(user)),
    classes: [
      ANONYMOUS,
      ...[LICENSED, AUTHENTICATED].filter((name) => isIn(user, name)),
      ...(admins.has(user) ? [ADMINS] : []),
    ],
  }))
  return [{ groups: [], classes: [ANONYMOUS] }, ...accounts]
}

/** The meaning of a level, independent of the code under test. */
function passes(who: AnyOf, someone: Someone): boolean {
  return (
    (someone.user !== undefined && who.users.has(someone.user)) ||
    someone.groups.some((group) => who.groups.has(group)) ||
    someone.classes.some((name) => who.classes.has(name))
  )
}
const passesAll = (all: AllOf, someone: Someone) => all.every((one) => passes(one, someone))
function matches(written: Record<string, string[]>, someone: Someone): boolean {
  const tokens = personTokens(someone, naming)
  return Object.values(written).every((list) => list.some((token) => tokens.includes(token)))
}

describe('flatten', () => {
  test('grants exactly what the AND grants, person by person, with a full directory', () => {
    fc.assert(
      fc.property(world, levels([ANONYMOUS, LICENSED, AUTHENTICATED]), (all, and) => {
        const { who, unresolved } = flatten(and, directoryOf(all))
        assert.deepEqual(unresolved, [])
        for (const one of everyone(all)) assert.equal(passes(who, one), passesAll(and, one), one.user)
      }),
      { numRuns: 2000 },
    )
  })

  test('never grants too much where groups, people or classes are unreadable', () => {
    const gaps = fc.tuple(fc.subarray(GROUPS), fc.subarray(USERS))
    fc.assert(
      fc.property(
        world,
        levels([ANONYMOUS, LICENSED, AUTHENTICATED, ADMINS, 'unknown-class']),
        gaps,
        (all, and, [groups, users]) => {
          const { who } = flatten(and, directoryOf(all, groups, users))
          for (const one of everyone(all)) if (passes(who, one)) assert.ok(passesAll(and, one), one.user)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('names the unresolved groups whenever it grants too little', () => {
    fc.assert(
      fc.property(
        world,
        levels([ANONYMOUS, LICENSED, AUTHENTICATED]),
        fc.subarray(GROUPS),
        (all, and, groups) => {
          const { who, unresolved } = flatten(and, directoryOf(all, groups))
          const missed = everyone(all).some((one) => passesAll(and, one) && !passes(who, one))
          if (missed) assert.notDeepEqual(unresolved, [])
          for (const group of unresolved) assert.ok(directoryLookups(and).groups.has(group))
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('looks up nothing that `directoryLookups` does not return', () => {
    fc.assert(
      fc.property(world, levels([ANONYMOUS, LICENSED, AUTHENTICATED]), (all, and) => {
        const full = directoryOf(all)
        const announced = directoryLookups(and)
        const kinds = new Set([
          ...announced.users,
          ...[...announced.groups].flatMap((group) => [...all.members.get(group)!]),
        ])
        const prepared: Directory = {
          members: (group) => (announced.groups.has(group) ? full.members(group) : undefined),
          naming,
          isIgnored: (user) => kinds.has(user) && full.isIgnored(user),
          inClass: (user, name) => (kinds.has(user) ? full.inClass(user, name) : undefined),
        }
        assert.deepEqual(flatten(and, prepared), flatten(and, full))
      }),
      { numRuns: 2000 },
    )
  })

  test('keeps a group that every level names, without looking up its members', () => {
    const blind: Directory = {
      naming,
      members: () => undefined,
      inClass: () => undefined,
      isIgnored: () => false,
    }
    const and = [anyOf(['x'], ['eng', 'ops']), anyOf(['y'], ['eng', 'hr'])]
    assert.deepEqual(toPrincipals(flatten([anyOf([], ['eng']), and[0]!], blind).who), {
      users: [],
      groups: ['eng'],
    })
    const { who, unresolved } = flatten(and, blind)
    assert.deepEqual([...who.groups], ['eng'])
    assert.ok(!unresolved.includes('eng'))
  })

  test('does not list a group without known members, even if a class covers it', () => {
    const all = { members: new Map([['g1', new Set<string>()]]), admins: new Set<string>() }
    const and = [anyOf([], [], [LICENSED]), anyOf([], ['g1'])]
    assert.deepEqual(flatten(and, directoryOf(all)).who, NO_PRINCIPALS)
  })

  test('grants no access without a level', () => {
    assert.deepEqual(flatten([], directoryOf({ members: new Map(), admins: new Set() })).who, NO_PRINCIPALS)
  })
})

describe('inactive accounts', () => {
  const all: World = { members: new Map([['g1', new Set(['u1', 'off1'])]]), admins: new Set() }

  test('are not resolved into lists', () => {
    const { who } = flatten([anyOf(['u1', 'off1']), anyOf([], ['g1'])], directoryOf(all))
    assert.deepEqual([...who.users], ['u1'])
  })

  test('do not prevent a group from being kept', () => {
    const { who } = flatten([anyOf([], [], [LICENSED]), anyOf([], ['g1'])], directoryOf(all))
    assert.deepEqual(toPrincipals(who), { users: [], groups: ['g1'] })
  })
})

describe('the names in access', () => {
  const level = [anyOf(['u1'], ['devs'], [ANONYMOUS, LICENSED])]
  const written = (site: string, groups: 'global' | 'per site') =>
    clauses(level, {
      ...directoryOf({ members: new Map(), admins: new Set() }),
      naming: siteNaming(site, groups),
    })

  test('hold the site in groups of Data Center and in every class but the anonymous', () => {
    assert.deepEqual(written('wiki.example/hr', 'per site').c0, [
      'class:anonymous-users',
      'class:wiki.example/hr/all-licensed-users',
      'group:wiki.example/hr/devs',
      'user:u1',
    ])
  })

  test('hold no site in groups of Cloud, whose ids are unique', () => {
    assert.deepEqual(written('acme.atlassian.net', 'global').c0, [
      'class:acme.atlassian.net/all-licensed-users',
      'class:anonymous-users',
      'group:devs',
      'user:u1',
    ])
  })

  test('never equal those of a site below it on the same host', () => {
    const above = siteNaming('wiki.example', 'per site')
    const below = siteNaming('wiki.example/hr', 'per site')
    assert.notEqual(above.group('hr/devs'), below.group('devs'))
    assert.notEqual(above.group('a%2Fb'), above.group('a/b'))
  })

  test('hold no character that ends a quoted value, and can be unescaped', () => {
    const { group } = siteNaming('wiki.example', 'per site')
    const hostile = 'x","user:8a7f\\\n\u007f%2F/\u0001é'
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be left
    assert.doesNotMatch(group(hostile), /["\\,\u0000-\u001f\u007f]/)
    assert.equal(group('x","user:8a7f'), 'wiki.example/x%22%2C%22user:8a7f')
    assert.equal(unescapeName(group(hostile).slice('wiki.example/'.length)), hostile)
  })

  test('never equal the entry that matches no one', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no directory accepts one in a name
    assert.match(NO_ONE_TOKEN, /[\u0000-\u001f]/)
    assert.equal(JSON.parse(JSON.stringify(NO_ONE_TOKEN)), NO_ONE_TOKEN)
    assert.ok(
      !personTokens(
        { user: NO_ONE_TOKEN, groups: [NO_ONE_TOKEN], classes: [NO_ONE_TOKEN] },
        UNQUALIFIED_NAMING,
      ).includes(NO_ONE_TOKEN),
    )
  })
})

describe('clauses', () => {
  test('match exactly the people who pass the AND, also if many levels are combined', () => {
    fc.assert(
      fc.property(world, levels([ANONYMOUS, LICENSED, AUTHENTICATED], 12), (all, and) => {
        const written = clauses(and, directoryOf(all))
        assert.ok(Object.keys(written).length <= 8)
        assert.deepEqual(Object.keys(written)[0], 'c0')
        for (const one of everyone(all)) assert.equal(matches(written, one), passesAll(and, one), one.user)
      }),
      { numRuns: 2000 },
    )
  })

  test('never match too many people where groups are unreadable', () => {
    fc.assert(
      fc.property(
        world,
        levels([ANONYMOUS, LICENSED, ADMINS], 12),
        fc.subarray(GROUPS),
        (all, and, groups) => {
          const written = clauses(and, directoryOf(all, groups))
          for (const one of everyone(all)) if (matches(written, one)) assert.ok(passesAll(and, one), one.user)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('match no one without a level or with an empty one', () => {
    const all: World = { members: new Map(GROUPS.map((group) => [group, new Set(USERS)])), admins: new Set() }
    for (const and of [[], [NO_PRINCIPALS], [anyOf([], [], [ANONYMOUS]), NO_PRINCIPALS]]) {
      const written = clauses(and, directoryOf(all))
      for (const one of everyone(all)) assert.equal(matches(written, one), false)
    }
    for (const one of everyone(all)) assert.equal(matches(NO_ACCESS.clauses, one), false)
  })
})
