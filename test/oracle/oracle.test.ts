import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { brokenResolvers } from './broken.ts'
import { type Comparison, compare, matches, pagesOf } from './comparison.ts'
import { may, OPERATIONS } from './oracle.ts'
import {
  ALL_READABLE,
  type OracleNode,
  type RawWiki,
  randomUnreadable,
  randomWiki,
  UNKNOWN_CLASS,
  UNPROVABLE_CLASS,
  type Unreadable,
} from './random-wiki.ts'
import { readerOf } from './readers.ts'
import { type ResolverBug, resolverOf } from './resolvers.ts'

/** A fixed seed; `MILLRACE_ORACLE_SEED` and `_RUNS` test others. */
const SEED = Number(process.env.MILLRACE_ORACLE_SEED ?? 20)
const RUNS = Number(process.env.MILLRACE_ORACLE_RUNS ?? 300)
const MIN_CASES = 10_000

type WikiCase = [RawWiki, Unreadable]
const proved = readable(randomWiki({ unprovable: false }))
const unprovable = readable(randomWiki({ unprovable: true }))
const partlyReadable: fc.Arbitrary<WikiCase> = fc.tuple(randomWiki({ unprovable: true }), randomUnreadable())

describe('the resolved permissions', () => {
  test('it grants exactly what the oracle grants if everything is readable', () => {
    const cases = forAll(proved, ({ tooMany, tooFew, unproved }) => {
      assert.deepEqual({ tooMany, tooFew, unproved }, { tooMany: [], tooFew: [], unproved: [] })
    })
    assert.ok(cases >= MIN_CASES, `${cases} cases`)
  })

  test('it reports nothing as unproved if everything is readable', () => {
    fc.assert(
      fc.property(proved, ([wiki, unreadable]) => {
        const written = resolverOf()(wiki, unreadable)
        for (const page of pagesOf(wiki)) assert.equal(written(page).unproved, undefined)
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  test('it grants nothing through an unproved class and reports it', () => {
    const cases = forAll(unprovable, ({ tooMany, tooFew, unproved }) => {
      assert.deepEqual(tooMany, [])
      assert.deepEqual(tooFew, [])
      for (const { form, unproved: why } of unproved) {
        const isUnknown = why!.includes(UNKNOWN_CLASS)
        if (!isUnknown) assert.equal(form, 'lists', 'clauses name the class itself')
        assert.match(why!, new RegExp(`${UNPROVABLE_CLASS}|${UNKNOWN_CLASS}`))
      }
    })
    assert.ok(cases >= MIN_CASES, `${cases} cases`)
  })

  test('it grants nothing unreadable and names the cause', () => {
    let short = 0
    const cases = forAll(partlyReadable, ({ tooMany, tooFew, unproved }, [, unreadable]) => {
      assert.deepEqual(tooMany, [])
      assert.deepEqual(tooFew, [])
      for (const { unproved: why } of unproved) assert.ok(namesCause(why!, unreadable), why)
      short += unproved.length
    })
    assert.ok(cases >= MIN_CASES, `${cases} cases`)
    assert.ok(short > 500, `unreadable parts deny some access: ${short}`)
  })

  test('it revokes access at once when a person leaves a group, by the clauses', () => {
    let lost = 0
    fc.assert(
      fc.property(randomWiki({ unprovable: true }), fc.nat(), fc.nat(), (wiki, one, other) => {
        const group = wiki.groups[one % wiki.groups.length]!
        const leaver = wiki.accounts.find(({ id }) => id === group.members[other % group.members.length])
        if (!leaver) return
        const members = group.members.filter((id) => id !== leaver.id)
        const after = { ...wiki, groups: wiki.groups.map((g) => (g === group ? { ...g, members } : g)) }
        const written = resolverOf()(wiki, ALL_READABLE)
        for (const page of pagesOf(wiki)) {
          const { clauses } = written(page)
          // Beyond eight levels the rest is resolved into one clause, as of the last run.
          if (restrictedLevels(wiki, page) + 1 > 8) continue
          const found = matches(readerOf(after, leaver), clauses)
          assert.equal(found, may(after, leaver, page, 'read'), `page ${page.id}`)
          if (!found && may(wiki, leaver, page, 'read')) lost++
        }
      }),
      { seed: SEED, numRuns: RUNS },
    )
    assert.ok(lost > 20, `some people lose access: ${lost}`)
  })
})

describe('the oracle', () => {
  const samples = [proved, partlyReadable].flatMap((wikis) => fc.sample(wikis, { seed: SEED, numRuns: 300 }))

  for (const [what, { grants, bug }] of Object.entries(brokenResolvers)) {
    test(`it catches a resolver for which ${what}`, () => {
      const side = grants === 'too many' ? 'tooMany' : 'tooFew'
      const disagrees = (drawn: WikiCase, how: ResolverBug) =>
        compare(...drawn, resolverOf(how))[side].length > 0
      const caught = samples.some((drawn) => disagrees(drawn, bug) && !disagrees(drawn, {}))
      assert.ok(caught, `no disagreement in ${samples.length} wikis`)
    })
  }

  test('it covers every kind of permission', () => {
    const seen: Record<string, number> = {}
    const count = (what: string, times: number | boolean) => {
      seen[what] = (seen[what] ?? 0) + Number(times)
    }
    for (const [wiki, unreadable] of samples) {
      for (const page of pagesOf(wiki)) {
        count('more than eight levels', restrictedLevels(wiki, page) + 1 > 8)
        for (const operation of OPERATIONS) {
          const allowed = wiki.accounts.filter((person) => may(wiki, person, page, operation)).length
          count(`may ${operation}`, allowed)
          count(`may not ${operation}`, wiki.accounts.length - allowed)
        }
      }
      const lists = wiki.nodes.flatMap(({ read, update }) => [read, update])
      const kindOf = (id: string) => wiki.accounts.find((account) => account.id === id)?.kind
      count(
        'for an app alone',
        lists.some((l) => l.users.length === 1 && !l.groups.length && kindOf(l.users[0]!) === 'app'),
      )
      count(
        'no one left',
        lists.some(({ lost }) => lost > 0),
      )
      count(
        'a deleted group',
        wiki.groups.some(({ deleted }) => deleted),
      )
      count(
        'an empty group',
        wiki.groups.some(({ members }) => members.length === 0),
      )
      for (const id of [
        'all-licensed-users',
        'anonymous-users',
        'authenticated-users',
        UNPROVABLE_CLASS,
        UNKNOWN_CLASS,
      ]) {
        count(
          id,
          wiki.grants.some((grant) => grant.id === id),
        )
      }
      for (const kind of ['guest', 'unlicensed', 'deactivated', 'closed'])
        count(
          kind,
          wiki.accounts.some((account) => account.kind === kind),
        )
      const isUnlicensed = (id: string) => kindOf(id) === 'unlicensed'
      count(
        'an unlicensed member',
        wiki.groups.some(({ members }) => members.some(isUnlicensed)),
      )
      count(
        'a grant to an unlicensed account',
        wiki.grants.some(({ id }) => isUnlicensed(id)),
      )
      count(
        'editing apart from creating',
        wiki.grants.some(({ operation }) => operation === 'update/page'),
      )
      count('a super-group', wiki.superGroup !== null)
      count('unreadable grants', unreadable.grants)
      for (const what of ['members', 'kinds', 'restrictions'] as const)
        count(`unreadable ${what}`, unreadable[what].length > 0)
    }
    for (const [what, times] of Object.entries(seen)) assert.ok(times >= 10, `${what}: ${times}`)
  })
})

/** Compares each wiki with the oracle and returns the number of questions. */
function forAll(wikis: fc.Arbitrary<WikiCase>, check: (found: Comparison, drawn: WikiCase) => void): number {
  let cases = 0
  fc.assert(
    fc.property(wikis, (drawn) => {
      const found = compare(...drawn, resolverOf())
      cases += found.cases
      check(found, drawn)
    }),
    { seed: SEED, numRuns: RUNS },
  )
  return cases
}

function readable(wikis: fc.Arbitrary<RawWiki>): fc.Arbitrary<WikiCase> {
  return wikis.map((wiki): WikiCase => [wiki, ALL_READABLE])
}

function namesCause(why: string, { members, kinds, restrictions, grants }: Unreadable): boolean {
  const causes = [
    ...members,
    ...kinds,
    ...restrictions,
    UNPROVABLE_CLASS,
    UNKNOWN_CLASS,
    ...(grants ? ['permissions of the space'] : []),
  ]
  return causes.some((cause) => why.includes(cause))
}

function restrictedLevels(wiki: RawWiki, page: OracleNode): number {
  let levels = 0
  for (let node: OracleNode | undefined = page; node; ) {
    const { read, parent }: OracleNode = node
    if (read.users.length + read.groups.length + read.lost > 0) levels++
    node = wiki.nodes.find(({ id }) => id === parent)
  }
  return levels
}
