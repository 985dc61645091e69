import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { ANONYMOUS, anyOf, LICENSED } from '../../../permissions/principals.ts'
import type { Subject, WikiClient } from '../client.ts'
import type { Account } from './accounts.ts'
import { createDirectory } from './directory.ts'
import { createSiteGroups } from './licensed.ts'
import { createProbe, MAX_ALL_CHECKED, MAX_PEOPLE_CHECKED } from './probe.ts'

const UNCHECKED = 'not all people of class authenticated-users could be checked'
const { signal } = new AbortController()
const groups: Record<string, string[]> = {
  all: ['ann', 'ben', 'cem'],
  eng: ['ann', 'ben'],
  hr: ['cem'],
}

const licensed = (id: string) =>
  ({ id, type: 'atlassian', name: null, status: 'active', guest: false, licensed: true }) as const

type Site = {
  /** Everyone passes if it is missing. */
  allowed?: { users?: string[]; groups?: string[] }
  /** Refused on every page of the space. */
  refusedEverywhere?: string[]
  /** Accounts that are not licensed people. */
  accounts?: Record<string, Partial<Account>>
  groups?: Record<string, string[]>
  refuses?: (subject: Subject) => AppError | undefined
  listing?: AppError
}

/** A wiki that knows one page and its groups; a group passes when it or all its members are allowed. */
function probeOf({
  allowed,
  refusedEverywhere = [],
  groups: held = groups,
  refuses,
  listing,
  ...site
}: Site) {
  const accountOf = (id: string): Account => ({ ...licensed(id), ...site.accounts?.[id] })
  const checked: string[] = []
  const inAllowed = (user: string) =>
    allowed?.users?.includes(user) || allowed?.groups?.some((group) => held[group]?.includes(user))
  const checks: WikiClient['permissionChecks'] = {
    checkPermission: async ({ pageId: page, subject }) => {
      checked.push(subject.kind === 'visitor' ? subject.kind : `${subject.kind}:${subject.id}`)
      const error = refuses?.(subject)
      if (error) throw error
      if (subject.kind === 'visitor') return !allowed || page === 'open'
      if (refusedEverywhere.includes(subject.id)) return false
      if (!allowed || page === 'open') return true
      if (subject.kind === 'user') return inAllowed(subject.id) ?? false
      return allowed.groups?.includes(subject.id) ?? false
    },
    groups: async () => {
      if (listing) throw listing
      return Object.keys(held)
    },
  }
  // The directory asks for nothing else.
  const client = {
    members: async (group: string) => (held[group] ?? []).map(accountOf),
    accounts: async (ids: string[]) => ids.map(accountOf),
    profiles: async (ids: string[]) => ids.map(accountOf),
    profile: async (id: string) => accountOf(id),
  } as Partial<WikiClient> as WikiClient
  const directory = createDirectory(client)
  const siteGroups = createSiteGroups(checks, directory)
  const probe = createProbe({ checks, directory, siteGroups, openPageId: 'open' })
  return {
    checked,
    directory,
    of: async (readers: ReturnType<typeof anyOf>) => {
      const verdict = await probe.decide({ pageId: '1', readers }, signal)
      return verdict.kind === 'open' ? { kind: verdict.kind } : verdict
    },
  }
}

describe('a node whose restrictions are unknown', () => {
  test('is open if everyone the space names may read the page', async () => {
    assert.deepEqual(await probeOf({}).of(anyOf(['ann'], ['eng'])), { kind: 'open' })
  })

  test('admits exactly those that passed, and single people of a refused group', async () => {
    const verdict = await probeOf({ allowed: { users: ['ben'], groups: ['hr'] } }).of(
      anyOf([], ['eng', 'hr']),
    )
    assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf(['ben'], ['hr']), unchecked: null })
  })

  test('needs no check of people who are in a group that passes', async () => {
    const open = probeOf({})
    await open.directory.load({ groups: ['eng'], users: [] }, signal)
    assert.deepEqual(await open.of(anyOf(['ann', 'cem'], ['eng'])), { kind: 'open' })
    assert.deepEqual(open.checked, ['group:eng', 'user:cem'])
    const closed = probeOf({ allowed: { groups: ['eng'] } })
    await closed.directory.load({ groups: ['eng'], users: [] }, signal)
    const verdict = await closed.of(anyOf(['ann', 'cem'], ['eng']))
    assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf([], ['eng']), unchecked: null })
    assert.ok(!closed.checked.includes('user:ann'))
  })

  test('checks only the members of a class that are in no passing group', async () => {
    const site = probeOf({ refusedEverywhere: ['all'] })
    await site.directory.load({ groups: ['eng'], users: [] }, signal)
    assert.deepEqual(await site.of(anyOf([], ['eng'], [LICENSED])), { kind: 'open' })
    assert.deepEqual(site.checked, ['group:all', 'group:eng', 'user:cem'])
  })

  test('finds the groups that a restriction names inside a refused one', async () => {
    const verdict = await probeOf({ allowed: { groups: ['eng'] } }).of(anyOf([], ['all']))
    assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf([], ['eng']), unchecked: null })
  })

  test('grants nothing to people beyond the limit, and reports it', async () => {
    const many = Array.from({ length: MAX_PEOPLE_CHECKED + 1 }, (_, at) => `u${at}`)
    const site = probeOf({ allowed: { users: ['u1'] }, groups: { many } })
    const verdict = await site.of(anyOf([], ['many']))
    assert.equal(verdict.kind, 'restricted')
    assert.ok(verdict.kind === 'restricted' && verdict.passed.users.size === 0)
    assert.match(verdict.unchecked ?? '', /at most 500/)
    assert.deepEqual(site.checked, ['group:many', 'group:many'])
  })

  test('keeps a class only if all licensed people pass', async () => {
    const licensed = anyOf([], [], [LICENSED])
    const open = probeOf({})
    assert.deepEqual(await open.of(licensed), { kind: 'open' })
    assert.deepEqual(open.checked, ['group:all', 'group:all'], 'on the open page and below the node')
    const restricted = await probeOf({ allowed: { groups: ['eng'] } }).of(licensed)
    assert.deepEqual(restricted, { kind: 'restricted', passed: anyOf([], ['eng']), unchecked: null })
  })

  test('drops the class if people pass only one by one', async () => {
    const verdict = await probeOf({ allowed: { users: ['ann', 'ben', 'cem'] } }).of(anyOf([], [], [LICENSED]))
    const passed = anyOf(['ann', 'ben', 'cem'])
    assert.deepEqual(verdict, { kind: 'restricted', passed, unchecked: null })
  })

  test('is open if a group is refused in the whole space but all its members pass', async () => {
    const site = probeOf({ refusedEverywhere: ['all'] })
    assert.deepEqual(await site.of(anyOf(['ann'], ['all'])), { kind: 'open' })
    assert.deepEqual(await probeOf({ refusedEverywhere: ['all'] }).of(anyOf([], [], [LICENSED])), {
      kind: 'open',
    })
  })

  test('is open if only deactivated accounts are refused in the whole space', async () => {
    const site = probeOf({ refusedEverywhere: ['old', 'all'], accounts: { old: { status: 'inactive' } } })
    assert.deepEqual(await site.of(anyOf(['old', 'ann'], ['all'])), { kind: 'open' })
  })

  test('is open if only accounts without a licence are refused in the whole space', async () => {
    const without = {
      accounts: { gil: { guest: true }, ula: { licensed: false } },
      refusedEverywhere: ['gil', 'ula'],
    }
    assert.deepEqual(await probeOf(without).of(anyOf(['gil', 'ula', 'ann'])), { kind: 'open' })
    assert.deepEqual(await probeOf(without).of(anyOf(['gil', 'ann'], [], [LICENSED])), { kind: 'open' })
  })

  test('keeps a class if only unlicensed accounts are refused', async () => {
    const held = { all: ['ann', 'gil'] }
    const site = { groups: held, accounts: { gil: { guest: true } }, refusedEverywhere: ['all', 'gil'] }
    assert.deepEqual(await probeOf(site).of(anyOf([], [], [LICENSED])), { kind: 'open' })
  })

  test('is not open if the open page refuses the same people', async () => {
    const allRefused = { refusedEverywhere: ['all', 'eng', 'hr', 'ann', 'ben', 'cem'] }
    for (const readers of [anyOf(['ann']), anyOf([], ['eng']), anyOf(['ann'], ['hr'], [LICENSED])]) {
      const verdict = await probeOf(allRefused).of(readers)
      assert.ok(verdict.kind === 'undecided', verdict.kind)
      assert.deepEqual(verdict.passed, anyOf())
      assert.match(verdict.reason, /refuse/)
    }
    const one = await probeOf({ refusedEverywhere: ['ben'] }).of(anyOf(['ann', 'ben']))
    assert.ok(one.kind === 'undecided', one.kind)
    assert.deepEqual(one.passed, anyOf(['ann']))
    const unknown = { refusedEverywhere: ['ben'], accounts: { ben: { licensed: null } } }
    assert.equal((await probeOf(unknown).of(anyOf(['ann', 'ben']))).kind, 'undecided')
  })

  test('is not open if no one may read the page', async () => {
    const site = probeOf({ refusedEverywhere: ['old'], accounts: { old: { status: 'inactive' } } })
    assert.equal((await site.of(anyOf(['old']))).kind, 'undecided')
    assert.deepEqual(await probeOf({}).of(anyOf()), { kind: 'restricted', passed: anyOf(), unchecked: null })
  })

  test('is open if a group without members is refused in the whole space', async () => {
    const site = { groups: { ...groups, empty: [] }, refusedEverywhere: ['empty'] }
    assert.deepEqual(await probeOf(site).of(anyOf(['ann'], ['empty'])), { kind: 'open' })
  })

  describe('with many readers who are in no passing group', () => {
    const staff = Array.from({ length: 300 }, (_, at) => `u${at}`)
    const teams = { staff, red: staff.slice(0, 280), blue: staff.slice(200, 290) }
    const isRefused = ['staff', 'red', 'blue']
    const everyone = anyOf([], [], [LICENSED])

    test('is open if their representatives pass', async () => {
      const site = probeOf({ groups: teams, refusedEverywhere: isRefused })
      assert.deepEqual(await site.of(everyone), { kind: 'open' })
      const people = new Set(site.checked.filter((each) => each.startsWith('user:')))
      assert.ok(people.size >= 4 && people.size <= MAX_ALL_CHECKED, String(people.size))
    })

    test('is restricted if it refuses the few who are in no group that it names', async () => {
      const site = probeOf({
        groups: teams,
        refusedEverywhere: isRefused,
        allowed: { groups: ['red', 'blue'] },
      })
      const verdict = await site.of(everyone)
      assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf(staff.slice(0, 290)), unchecked: null })
    })

    test('is restricted if it names a few people', async () => {
      const named = staff.slice(290, 293)
      const site = probeOf({ groups: teams, refusedEverywhere: isRefused, allowed: { users: named } })
      assert.deepEqual(await site.of(everyone), { kind: 'restricted', passed: anyOf(named), unchecked: null })
    })
  })

  test('checks people and groups that the space names in addition to visitors', async () => {
    const site = probeOf({ allowed: { users: ['dan'] }, listing: new AppError('source_forbidden', 'no') })
    const verdict = await site.of(anyOf(['dan'], [], [ANONYMOUS]))
    assert.ok(verdict.kind === 'restricted')
    assert.deepEqual(verdict.passed, anyOf(['dan']))
  })

  test('never mistakes a person or group named like the visitor for the visitor', async () => {
    const site = probeOf({ allowed: { groups: ['anonymous'] }, groups: { anonymous: ['ann'], all: ['ann'] } })
    const verdict = await site.of(anyOf(['anonymous'], ['anonymous']))
    assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf([], ['anonymous']), unchecked: null })
    const open = await probeOf({}).of(anyOf(['anonymous'], ['eng'], [ANONYMOUS]))
    assert.deepEqual(open, { kind: 'open' })
  })

  test('is restricted if a member of a group refused in the whole space is refused', async () => {
    const site = probeOf({ refusedEverywhere: ['all'], allowed: { users: ['ann'] } })
    const verdict = await site.of(anyOf([], [], [LICENSED]))
    assert.deepEqual(verdict, { kind: 'restricted', passed: anyOf(['ann']), unchecked: null })
  })

  test('is open for everyone if a visitor may read the page', async () => {
    const site = probeOf({})
    assert.deepEqual(await site.of(anyOf([], ['eng'], [ANONYMOUS])), { kind: 'open' })
    assert.deepEqual(site.checked, ['visitor'])
  })

  test('never counts a class as proved that is wider than the people checked', async () => {
    const site = probeOf({ allowed: { groups: ['all'] } })
    const verdict = await site.of(anyOf([], [], ['authenticated-users']))
    assert.deepEqual(verdict, {
      kind: 'restricted',
      passed: anyOf([], ['all'], [LICENSED]),
      unchecked: UNCHECKED,
    })
  })
})

describe('a wiki that gives no answer', () => {
  const forbidden = new AppError('source_forbidden', 'not an administrator')

  test('leaves the node undecided, and is not checked again', async () => {
    const site = probeOf({ refuses: () => forbidden })
    const verdict = await site.of(anyOf(['ann'], ['eng']))
    assert.deepEqual(verdict, { kind: 'undecided', passed: anyOf(), reason: 'not an administrator' })
    assert.equal((await site.of(anyOf(['ben']))).kind, 'undecided')
    assert.deepEqual(site.checked, ['group:eng'])
  })

  test('leaves the node undecided if one answer is missing, and keeps those that passed', async () => {
    const broken = new AppError('source_failed', 'failed')
    const site = probeOf({
      refuses: (subject) => ('id' in subject && subject.id === 'eng' ? broken : undefined),
    })
    const verdict = await site.of(anyOf(['ann'], ['eng']))
    assert.deepEqual(verdict, { kind: 'undecided', passed: anyOf(['ann']), reason: 'failed' })
  })

  test('leaves a class undecided if the groups cannot be listed', async () => {
    const verdict = await probeOf({ listing: forbidden }).of(anyOf(['ann'], [], [LICENSED]))
    assert.equal(verdict.kind, 'undecided')
    assert.deepEqual(verdict.kind === 'undecided' && verdict.passed, anyOf(['ann']))
  })

  test('ends the job if the error affects all requests', async () => {
    const away = new AppError('source_unreachable', 'away')
    await assert.rejects(probeOf({ refuses: () => away }).of(anyOf(['ann'])), away)
  })
})
