import { ANONYMOUS, type AnyOf, anyOf, LICENSED, union } from '../../../access.ts'
import type { PermissionChecksClient } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import { type Licensed, licensedPeople } from './licensed.ts'
import {
  createPermissionChecks,
  groupSubjects,
  type NamedSubject,
  type PermissionChecks,
  userSubjects,
  VISITOR,
} from './permission-checks.ts'

/** A node with more readers stays undecided. */
export const MAX_SUBJECTS = 200
/** Larger groups are not checked member by member. */
export const MAX_MEMBERS_CHECKED = 100

/** What the wiki's permission checks prove about undecided nodes above a page. */
export type AncestorVerdict =
  | { kind: 'open' }
  /** `unchecked` says why more people may be allowed than `passed` holds. */
  | { kind: 'restricted'; passed: AnyOf; unchecked: string | null }
  | { kind: 'undecided'; passed: AnyOf; reason: string }

/** `readers` are all who may read by the known permissions and restrictions. */
export type Probe = (
  input: { pageId: string; readers: AnyOf },
  signal: AbortSignal,
) => Promise<AncestorVerdict>

/** Checks for one space; results are shared between pages. */
export function createProbe(from: {
  checks: PermissionChecksClient | null
  directory: WikiDirectory
  /** A page of the space without restrictions, if there is one. */
  openPageId: string | null
}): Probe {
  const { checks, directory, openPageId } = from
  let licensed: Promise<Licensed> | undefined
  let forbidden: string | null = null
  let openPageChecks: PermissionChecks | undefined

  return async ({ pageId, readers }, signal) => {
    if (!checks) return undecided('this wiki cannot check the permissions of other people')
    if (forbidden) return undecided(forbidden)
    const named = readers.users.size + readers.groups.size
    if (named > MAX_SUBJECTS)
      return undecided(
        `${named} people and groups may read the space, but at most ${MAX_SUBJECTS} are checked`,
      )
    const pageChecks = createPermissionChecks(checks, pageId, signal)
    if (openPageId) openPageChecks ??= createPermissionChecks(checks, openPageId, signal)
    const loadLicensed = () => {
      licensed ??= licensedPeople({ checks, directory }, signal)
      return licensed
    }
    const verdict = await decide(
      { pageChecks, openPageChecks, readers, loadLicensed, directory, refusedEverywhere: new Set() },
      signal,
    )
    // An account that may not check other people is refused every time.
    const failure = pageChecks.failure()
    if (failure?.code === 'source_forbidden') forbidden = failure.message
    return verdict
  }
}

type ProbeCase = {
  pageChecks: PermissionChecks
  /** The same checks on the open page. */
  openPageChecks: PermissionChecks | undefined
  readers: AnyOf
  loadLicensed(): Promise<Licensed>
  directory: WikiDirectory
  /** Subjects refused even on the open page: unlicensed accounts, and groups without a passing member. */
  refusedEverywhere: Set<string>
  /** If set, other members of groups need not pass. */
  relevant?: ReadonlySet<string>
}

async function decide(probe: ProbeCase, signal: AbortSignal): Promise<AncestorVerdict> {
  const { pageChecks, readers, loadLicensed } = probe
  if (readers.users.size + readers.groups.size + readers.classes.size === 0)
    return { kind: 'restricted', passed: anyOf(), unchecked: null }
  if (readers.classes.has(ANONYMOUS)) {
    await pageChecks.check([VISITOR])
    // A restriction never lets a visitor pass.
    if (pageChecks.resultOf(VISITOR)) return { kind: 'open' }
    await probe.openPageChecks?.check([VISITOR])
    if (probe.openPageChecks?.resultOf(VISITOR)) return findPassing(probe, signal)
  }
  const named = await checkNamed(probe, signal)
  if (named === REFUSED) return findPassing(probe, signal)
  if (named !== PASSED) return undecided(named, pageChecks.passed())
  if (readers.classes.size === 0) return allPassed(probe, anyOf())

  // A class cannot be checked, so the groups that hold its people are.
  const all = await loadLicensed()
  if ('reason' in all) return undecided(all.reason, pageChecks.passed())
  const cover = await checkAll({ ...probe, relevant: all.people }, groupSubjects(all.cover), signal)
  if (cover === REFUSED) return findPassing(probe, signal)
  if (cover !== PASSED) return undecided(cover, pageChecks.passed())
  const wider = widerClassReason(readers)
  if (!wider) return allPassed(probe, EVERYONE_LICENSED)
  return { kind: 'restricted', passed: union(pageChecks.passed(), EVERYONE_LICENSED), unchecked: wider }
}

/** Open, unless the wiki refused an active reader or confirmed no one. */
function allPassed({ pageChecks, refusedEverywhere }: ProbeCase, proved: AnyOf): AncestorVerdict {
  const passed = pageChecks.passed()
  if (passed.users.size + passed.groups.size === 0) return undecided('the wiki lets no one read the page')
  if (refusedEverywhere.size === 0) return { kind: 'open' }
  return { kind: 'restricted', passed: union(passed, proved), unchecked: null }
}

const PASSED = Symbol('passed')
const REFUSED = Symbol('refused')
type Checked = typeof PASSED | typeof REFUSED | string

/** Groups first: their members pass with them and need no check. */
async function checkNamed(probe: ProbeCase, signal: AbortSignal): Promise<Checked> {
  const { readers } = probe
  const groups = await checkAll(probe, groupSubjects(readers.groups), signal)
  if (groups === REFUSED) return groups
  const users = await checkAll(probe, userSubjects(readers.users.difference(inPassingGroups(probe))), signal)
  return users === PASSED || groups !== PASSED ? groups : users
}

/** The members of passing groups, as far as they are loaded. */
function inPassingGroups({ pageChecks, directory }: ProbeCase): Set<string> {
  return new Set([...pageChecks.passed().groups].flatMap((id) => [...(directory.members(id) ?? [])]))
}

/** Whether all subjects pass, or why that is unknown. A refusal that also happens on the open page does not count. */
async function checkAll(probe: ProbeCase, subjects: NamedSubject[], signal: AbortSignal): Promise<Checked> {
  const { pageChecks, openPageChecks, directory, refusedEverywhere, relevant } = probe
  await pageChecks.check(subjects)
  const refused = subjects.filter((subject) => pageChecks.resultOf(subject) === false)
  await openPageChecks?.check(refused)
  if (refused.some((subject) => openPageChecks?.resultOf(subject) !== false)) return REFUSED
  if (subjects.some((subject) => pageChecks.resultOf(subject) === undefined))
    return noAnswerReason(pageChecks)
  const idsOf = (kind: NamedSubject['kind']) =>
    refused.filter((each) => each.kind === kind).map(({ id }) => id)
  const groups = idsOf('group')
  const users = idsOf('user')
  await directory.load({ groups, users }, signal)
  const unread = groups.find((id) => !directory.members(id))
  if (unread) return `the members of group ${unread} could not be read`
  const members = new Set(groups.flatMap((id) => [...(directory.members(id) ?? [])]))
  const passing = inPassingGroups(probe)
  const toCheck = (relevant ? members.intersection(relevant) : members).difference(passing)
  if (toCheck.size > MAX_MEMBERS_CHECKED) return tooManyReason(toCheck.size)
  const inGroups = toCheck.size > 0 ? await checkAll(probe, userSubjects(toCheck), signal) : PASSED
  if (inGroups !== PASSED) return inGroups
  const passes = (id: string) => passing.has(id) || pageChecks.resultOf({ kind: 'user', id }) === true
  for (const id of groups) if (![...(directory.members(id) ?? [])].some(passes)) refusedEverywhere.add(id)
  for (const user of users) {
    if (directory.isInactive(user)) continue
    // The open page may be restricted by now, so a licensed account that it refuses proves nothing.
    if (directory.inClass(user, LICENSED) !== false)
      return `the wiki also refuses account ${user} on a page without restrictions`
    refusedEverywhere.add(user)
  }
  return PASSED
}

function noAnswerReason(pageChecks: PermissionChecks): string {
  return pageChecks.failure()?.message ?? 'the wiki gave no answer'
}

function tooManyReason(people: number): string {
  return `${people} people would need a check each, but at most ${MAX_MEMBERS_CHECKED} are checked`
}

/** People of a wider class need not be in any group. */
function widerClassReason({ classes }: AnyOf): string | null {
  const name = [...classes].find((each) => each !== LICENSED)
  return name ? `not all people of class ${name} could be checked` : null
}

const EVERYONE_LICENSED = anyOf([], [], [LICENSED])

/** Finds the groups and people that pass a restriction. */
async function findPassing(probe: ProbeCase, signal: AbortSignal): Promise<AncestorVerdict> {
  const { pageChecks, readers, loadLicensed, directory } = probe
  await pageChecks.check(groupSubjects(readers.groups))
  const all = await loadLicensed()
  const known = 'reason' in all ? null : all
  if (known) await pageChecks.check(groupSubjects(known.groups))
  await pageChecks.check(userSubjects(readers.users.difference(inPassingGroups(probe))))
  const groups = [...readers.groups, ...(readers.classes.size > 0 ? (known?.cover ?? []) : [])]
  const refused = groups.filter((id) => !pageChecks.resultOf({ kind: 'group', id }))
  const passing = [...pageChecks.passed().groups]
  await directory.load({ groups: [...refused, ...passing], users: [] }, signal)
  const inPassing = inPassingGroups(probe)
  const unread = refused.find((id) => !directory.members(id))
  const left = new Set(refused.flatMap((id) => [...(directory.members(id) ?? [])])).difference(inPassing)
  const isTooMany = left.size > MAX_MEMBERS_CHECKED
  if (!isTooMany) await pageChecks.check(userSubjects(left))

  const unchecked =
    (unread && `the members of group ${unread} could not be read`) ||
    (isTooMany && tooManyReason(left.size)) ||
    (readers.classes.size > 0 && 'reason' in all && all.reason) ||
    pageChecks.failure()?.message ||
    widerClassReason(readers)
  return { kind: 'restricted', passed: pageChecks.passed(), unchecked }
}

function undecided(reason: string, passed = anyOf()): AncestorVerdict {
  return { kind: 'undecided', passed, reason }
}
