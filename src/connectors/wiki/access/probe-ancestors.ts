import { ANONYMOUS, type AnyOf, anyOf, either, LICENSED } from '../../../access.ts'
import type { Checks } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import { type Licensed, licensedPeople } from './licensed.ts'
import {
  createPermissionChecks,
  groupsOf,
  type NamedSubject,
  type PermissionChecks,
  usersOf,
  VISITOR,
} from './permission-checks.ts'

/** A chain with more readers stays undecided. */
export const MOST_SUBJECTS = 200
/** Larger groups are not checked member by member. */
export const MOST_PEOPLE_ASKED = 100

/** What the wiki's answers prove about undecided nodes above a page. */
export type AncestorVerdict =
  | { kind: 'open' }
  /** `unchecked` says why more people may be allowed than `passed` holds. */
  | { kind: 'restricted'; passed: AnyOf; unasked: string | null }
  | { kind: 'undecided'; passed: AnyOf; why: string }

/** `readers` are all who may read by the known permissions and restrictions. */
export type Probe = (
  asked: { pageId: string; readers: AnyOf },
  signal: AbortSignal,
) => Promise<AncestorVerdict>

/** Checks for one space; shared answers are requested once. */
export function createProbe(from: {
  checks: Checks | null
  directory: WikiDirectory
  /** A page of the space without restrictions, if there is one. */
  openPageId: string | null
}): Probe {
  const { checks, directory, openPageId } = from
  let licensed: Promise<Licensed> | undefined
  let forbidden: string | null = null
  let elsewhere: PermissionChecks | undefined

  return async ({ pageId, readers }, signal) => {
    if (!checks) return undecided('this wiki has no way to check what others may read')
    if (forbidden) return undecided(forbidden)
    const named = readers.users.size + readers.groups.size
    if (named > MOST_SUBJECTS)
      return undecided(
        `${named} people and groups may read the space, and at most ${MOST_SUBJECTS} are checked`,
      )
    const poll = createPermissionChecks(checks, pageId, signal)
    if (openPageId) elsewhere ??= createPermissionChecks(checks, openPageId, signal)
    const everyone = () => {
      licensed ??= licensedPeople({ checks, directory }, signal)
      return licensed
    }
    const verdict = await judge({ poll, elsewhere, readers, everyone, directory, leftOut: new Set() }, signal)
    // An account that may not ask about others is refused every time.
    const failure = poll.failure()
    if (failure?.code === 'source_forbidden') forbidden = failure.message
    return verdict
  }
}

type Case = {
  poll: PermissionChecks
  /** The same checks on the open page. */
  elsewhere: PermissionChecks | undefined
  readers: AnyOf
  everyone(): Promise<Licensed>
  directory: WikiDirectory
  /** Refused on the open page too: unlicensed accounts, and groups without a passing member. */
  leftOut: Set<string>
  /** If set, other members of groups need not pass. */
  among?: ReadonlySet<string>
}

async function judge(probed: Case, signal: AbortSignal): Promise<AncestorVerdict> {
  const { poll, readers, everyone } = probed
  if (readers.users.size + readers.groups.size + readers.classes.size === 0)
    return { kind: 'restricted', passed: anyOf(), unasked: null }
  if (readers.classes.has(ANONYMOUS)) {
    await poll.ask([VISITOR])
    // A restriction never lets a visitor pass.
    if (poll.says(VISITOR)) return { kind: 'open' }
    await probed.elsewhere?.ask([VISITOR])
    if (probed.elsewhere?.says(VISITOR)) return narrowed(probed, signal)
  }
  const named = await weighed(probed, [...usersOf(readers.users), ...groupsOf(readers.groups)], signal)
  if (named === REFUSED) return narrowed(probed, signal)
  if (named !== PASSED) return undecided(named, poll.passed())
  if (readers.classes.size === 0) return allPassed(probed, anyOf())

  // A class cannot be checked, so the groups that hold its people are.
  const all = await everyone()
  if ('why' in all) return undecided(all.why, poll.passed())
  const cover = await weighed({ ...probed, among: all.people }, groupsOf(all.cover), signal)
  if (cover === REFUSED) return narrowed(probed, signal)
  if (cover !== PASSED) return undecided(cover, poll.passed())
  const wider = widerClass(readers)
  if (!wider) return allPassed(probed, EVERYONE_LICENSED)
  return { kind: 'restricted', passed: either(poll.passed(), EVERYONE_LICENSED), unasked: wider }
}

/** Open, unless the wiki refused an active reader or confirmed no one. */
function allPassed({ poll, leftOut }: Case, proved: AnyOf): AncestorVerdict {
  const passed = poll.passed()
  if (passed.users.size + passed.groups.size === 0) return undecided('the wiki lets no one read the page')
  if (leftOut.size === 0) return { kind: 'open' }
  return { kind: 'restricted', passed: either(passed, proved), unasked: null }
}

const PASSED = Symbol('passed')
const REFUSED = Symbol('refused')

/**
 * Whether all subjects pass, or why that is unknown. A refusal on the open page too has another reason, such
 * as a missing licence.
 */
async function weighed(
  probed: Case,
  subjects: NamedSubject[],
  signal: AbortSignal,
): Promise<typeof PASSED | typeof REFUSED | string> {
  const { poll, elsewhere, directory, leftOut, among } = probed
  await poll.ask(subjects)
  const refused = subjects.filter((subject) => poll.says(subject) === false)
  await elsewhere?.ask(refused)
  if (refused.some((subject) => elsewhere?.says(subject) !== false)) return REFUSED
  if (subjects.some((subject) => poll.says(subject) === undefined)) return whyNot(poll)
  const idsOf = (kind: NamedSubject['kind']) =>
    refused.filter((each) => each.kind === kind).map(({ id }) => id)
  const groups = idsOf('group')
  const users = idsOf('user')
  await directory.load({ groups, users }, signal)
  const unread = groups.find((id) => !directory.members(id))
  if (unread) return `the members of group ${unread} could not be read`
  const members = new Set(groups.flatMap((id) => [...(directory.members(id) ?? [])]))
  const wanted = among ? members.intersection(among) : members
  if (wanted.size > MOST_PEOPLE_ASKED) return tooMany(wanted.size)
  const inGroups = wanted.size > 0 ? await weighed(probed, usersOf(wanted), signal) : PASSED
  if (inGroups !== PASSED) return inGroups
  const passes = (id: string) => poll.says({ kind: 'user', id }) === true
  for (const id of groups) if (![...(directory.members(id) ?? [])].some(passes)) leftOut.add(id)
  for (const user of users) {
    if (directory.isInactive(user)) continue
    // The open page may be restricted by now, so its refusal excuses no licensed account.
    if (directory.inClass(user, LICENSED) !== false)
      return `the wiki refuses account ${user} on a page without restrictions, too`
    leftOut.add(user)
  }
  return PASSED
}

function whyNot(poll: PermissionChecks): string {
  return poll.failure()?.message ?? 'the wiki gave no answer'
}

function tooMany(people: number): string {
  return `${people} people would have to be checked one by one, and at most ${MOST_PEOPLE_ASKED} are`
}

/** People of a wider class need not be in any group. */
function widerClass({ classes }: AnyOf): string | null {
  const name = [...classes].find((each) => each !== LICENSED)
  return name ? `not everyone of ${name} could be checked` : null
}

const EVERYONE_LICENSED = anyOf([], [], [LICENSED])

/** Finds the groups and people that pass a restriction. */
async function narrowed(probed: Case, signal: AbortSignal): Promise<AncestorVerdict> {
  const { poll, readers, everyone, directory } = probed
  await poll.ask([...usersOf(readers.users), ...groupsOf(readers.groups)])
  const all = await everyone()
  const known = 'why' in all ? null : all
  if (known) await poll.ask(groupsOf(known.groups))
  const asked = [...readers.groups, ...(readers.classes.size > 0 ? (known?.cover ?? []) : [])]
  const refused = asked.filter((id) => !poll.says({ kind: 'group', id }))
  const passing = [...poll.passed().groups]
  await directory.load({ groups: [...refused, ...passing], users: [] }, signal)
  const inPassing = new Set(passing.flatMap((id) => [...(directory.members(id) ?? [])]))
  const unread = refused.find((id) => !directory.members(id))
  const left = new Set(refused.flatMap((id) => [...(directory.members(id) ?? [])])).difference(inPassing)
  const isTooMany = left.size > MOST_PEOPLE_ASKED
  if (!isTooMany) await poll.ask(usersOf(left))

  const unasked =
    (unread && `the members of group ${unread} could not be read`) ||
    (isTooMany && tooMany(left.size)) ||
    (readers.classes.size > 0 && 'why' in all && all.why) ||
    poll.failure()?.message ||
    widerClass(readers)
  return { kind: 'restricted', passed: poll.passed(), unasked }
}

function undecided(why: string, passed = anyOf()): AncestorVerdict {
  return { kind: 'undecided', passed, why }
}
