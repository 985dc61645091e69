import { ANONYMOUS, type AnyOf, anyOf, LICENSED, union } from '../../../permissions/principals.ts'
import type { PermissionChecksClient, Subject } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import type { SiteGroups } from './licensed.ts'
import {
  createPermissionChecks,
  groupSubjects,
  type NamedSubject,
  type PermissionChecks,
  subjectsOf,
  userSubjects,
  VISITOR,
} from './permission-checks.ts'
import { representatives } from './representatives.ts'

/** So many people are all checked; of more, some represent the others. */
export const MAX_ALL_CHECKED = 12
/** If a node is restricted, so many people are checked one by one. */
export const MAX_PEOPLE_CHECKED = 500

/** What the wiki's permission checks prove about undecided nodes above a page. */
export type NodeVerdict =
  /** `subjects` are those whose checks proved it. */
  | { kind: 'open'; subjects: Subject[] }
  /** `unchecked` says why more people may be allowed than `passed` holds. */
  | { kind: 'restricted'; passed: AnyOf; unchecked: string | null }
  | { kind: 'undecided'; passed: AnyOf; reason: string }

export type Probe = ReturnType<typeof createProbe>

/** Checks for one space; results on its open page are shared. */
export function createProbe(from: {
  checks: PermissionChecksClient | null
  directory: WikiDirectory
  siteGroups: SiteGroups
  /** A page of the space without restrictions, if there is one. */
  openPageId: string | null
}) {
  const { checks, openPageId, ...people } = from
  let forbidden: string | null = null
  let openPage: PermissionChecks | undefined
  const openPageOf = (client: PermissionChecksClient, signal: AbortSignal) => {
    if (openPageId) openPage ??= createPermissionChecks(client, openPageId, signal)
    return openPage
  }

  return {
    /** `readers` are all who may read by the known permissions and restrictions. */
    decide: async (
      { pageId, readers }: { pageId: string; readers: AnyOf },
      signal: AbortSignal,
    ): Promise<NodeVerdict> => {
      if (!checks) return undecided('this wiki cannot check the permissions of other people')
      if (forbidden) return undecided(forbidden)
      const page = createPermissionChecks(checks, pageId, signal)
      const openPage = openPageOf(checks, signal)
      const verdict = await decideCase({ pageId, page, openPage, readers, ...people }, signal)
      // An account that may not check other people is refused every time.
      const failure = page.failure()
      if (failure?.code === 'source_forbidden') forbidden = failure.message
      return verdict
    },
    /** Whether these may read the page. False also if a check gave no answer. */
    allPass: async (pageId: string, subjects: Subject[], signal: AbortSignal): Promise<boolean> => {
      if (!checks || subjects.length === 0) return false
      const page = createPermissionChecks(checks, pageId, signal)
      await page.check(subjects)
      return subjects.every((subject) => page.resultOf(subject) === true)
    },
    /** Whether the wiki refuses a subject on the page but not on the open page; undefined if it gives no answer. */
    refuses: async (pageId: string, subject: NamedSubject, signal: AbortSignal) => {
      if (!checks) return undefined
      const page = createPermissionChecks(checks, pageId, signal)
      await page.check([subject])
      const may = page.resultOf(subject)
      if (may !== false) return may && false
      const open = openPageOf(checks, signal)
      await open?.check([subject])
      return open?.resultOf(subject) !== false
    },
  }
}

type ProbeCase = {
  pageId: string
  page: PermissionChecks
  /** The same checks on the open page. */
  openPage: PermissionChecks | undefined
  readers: AnyOf
  directory: WikiDirectory
  siteGroups: SiteGroups
}

async function decideCase(probe: ProbeCase, signal: AbortSignal): Promise<NodeVerdict> {
  const { page, openPage, readers, directory } = probe
  if (isNoOne(readers)) return { kind: 'restricted', passed: anyOf(), unchecked: null }
  if (readers.classes.has(ANONYMOUS)) {
    await page.check([VISITOR])
    // A restriction never lets a visitor pass.
    if (page.resultOf(VISITOR)) return { kind: 'open', subjects: [VISITOR] }
    await openPage?.check([VISITOR])
    if (openPage?.resultOf(VISITOR)) return findPassing(probe, signal)
  }
  await directory.load({ groups: readers.groups, users: readers.users }, signal)
  const groups = await checkGroups(probe, await groupsToCheck(probe, signal))
  if (groups === REFUSED) return findPassing(probe, signal)
  const people = groups === PASSED ? await readingPeople(probe, signal) : groups
  if (typeof people === 'string') {
    await page.check(userSubjects([...readers.users].slice(0, MAX_ALL_CHECKED)))
    return undecided(people, page.passed())
  }
  const left = people.difference(inPassingGroups(probe))
  const checked = await checkPeople(probe, await chosenPeople(probe, left, signal))
  if (checked === REFUSED) return findPassing(probe, signal)
  if (checked !== PASSED) return undecided(checked, page.passed())
  const passed = page.passed()
  if (isNoOne(passed)) return undecided('the wiki lets no one read the page')
  const wider = widerClassReason(readers)
  if (wider) return { kind: 'restricted', passed: union(passed, EVERYONE_LICENSED), unchecked: wider }
  return { kind: 'open', subjects: subjectsOf(passed) }
}

const PASSED = Symbol('passed')
const REFUSED = Symbol('refused')
type Checked = typeof PASSED | typeof REFUSED | string

/** The groups of the readers, and for a class the largest group if it passes on the open page; the largest first. */
async function groupsToCheck(probe: ProbeCase, signal: AbortSignal): Promise<string[]> {
  const { readers, openPage, siteGroups, directory } = probe
  const sizeOf = (id: string) => directory.members(id)?.size ?? Number.POSITIVE_INFINITY
  const bySize = (a: string, b: string) => sizeOf(b) - sizeOf(a)
  const named = [...readers.groups].sort(bySize)
  if (readers.classes.size === 0) return named
  const [largest] = (await siteGroups.load(signal)).toSorted(bySize)
  if (!largest || readers.groups.has(largest)) return named
  const subject = { kind: 'group', id: largest } as const
  await openPage?.check([subject])
  return openPage?.resultOf(subject) ? [largest, ...named] : named
}

/** A passing group counts for its members, so one that adds no one needs no check. */
async function checkGroups(probe: ProbeCase, groups: string[]): Promise<Checked> {
  const { page, openPage, directory } = probe
  for (const id of groups) {
    const members = directory.members(id)
    if (members?.isSubsetOf(inPassingGroups(probe))) continue
    const subject = { kind: 'group', id } as const
    await page.check([subject])
    const may = page.resultOf(subject)
    if (may === undefined) return noAnswerReason(page)
    if (may) continue
    await openPage?.check([subject])
    // Refused there too: the space grants the group nothing of its own, so its members are checked.
    if (openPage?.resultOf(subject) !== false) return REFUSED
    if (!members) return `the members of group ${id} could not be read`
  }
  return PASSED
}

/** The members of passing groups, as far as they are loaded. */
function inPassingGroups({ page, directory }: ProbeCase): Set<string> {
  return new Set([...page.passed().groups].flatMap((id) => [...(directory.members(id) ?? [])]))
}

/** Everyone who may read by name, group or class and has an account in use; or why they are unknown. */
async function readingPeople(
  { readers, siteGroups, directory }: ProbeCase,
  signal: AbortSignal,
): Promise<Set<string> | string> {
  const people = new Set(readers.users)
  for (const id of readers.groups) for (const user of directory.members(id) ?? []) people.add(user)
  if (readers.classes.size > 0) {
    const all = await siteGroups.licensed(signal)
    if ('reason' in all) return all.reason
    for (const user of all.people) people.add(user)
  }
  return new Set([...people].filter((user) => !directory.isInactive(user)))
}

async function chosenPeople(
  { pageId, siteGroups, directory }: ProbeCase,
  people: Set<string>,
  signal: AbortSignal,
): Promise<string[]> {
  if (people.size <= MAX_ALL_CHECKED) return [...people]
  const groups = await siteGroups.load(signal)
  return representatives(
    people,
    groups.map((id) => ({ id, members: directory.members(id) })),
    pageId,
  )
}

async function checkPeople({ page, openPage, directory }: ProbeCase, people: string[]): Promise<Checked> {
  const subjects = userSubjects(people)
  await page.check(subjects)
  if (subjects.some((subject) => page.resultOf(subject) === undefined)) return noAnswerReason(page)
  const refused = subjects.filter((subject) => page.resultOf(subject) === false)
  await openPage?.check(refused)
  if (refused.some((subject) => openPage?.resultOf(subject) !== false)) return REFUSED
  // The open page may be restricted by now, so a licensed account that it refuses proves nothing.
  const odd = refused.find(({ id }) => directory.inClass(id, LICENSED) !== false)
  return odd ? `the wiki also refuses account ${odd.id} on a page without restrictions` : PASSED
}

function noAnswerReason(page: PermissionChecks): string {
  return page.failure()?.message ?? 'the wiki gave no answer'
}

/** People of a wider class need not be in any group. */
function widerClassReason({ classes }: AnyOf): string | null {
  const name = [...classes].find((each) => each !== LICENSED)
  return name ? `not all people of class ${name} could be checked` : null
}

const EVERYONE_LICENSED = anyOf([], [], [LICENSED])

/** Finds the groups and people that pass a restriction. */
async function findPassing(probe: ProbeCase, signal: AbortSignal): Promise<NodeVerdict> {
  const { page, readers, siteGroups, directory } = probe
  const groups = new Set([...readers.groups, ...(await siteGroups.load(signal))])
  await page.check(groupSubjects(groups))
  await directory.load({ groups: readers.groups, users: [] }, signal)
  const people = await readingPeople(probe, signal)
  const named = typeof people === 'string' ? readers.users : people
  const left = named.difference(inPassingGroups(probe))
  const isTooMany = left.size > MAX_PEOPLE_CHECKED
  if (!isTooMany) await page.check(userSubjects(left))
  const unread = [...readers.groups].find(
    (id) => !page.resultOf({ kind: 'group', id }) && !directory.members(id),
  )
  const unchecked =
    (unread && `the members of group ${unread} could not be read`) ||
    (isTooMany && tooManyReason(left.size)) ||
    (typeof people === 'string' && people) ||
    page.failure()?.message ||
    widerClassReason(readers)
  return { kind: 'restricted', passed: page.passed(), unchecked }
}

function tooManyReason(people: number): string {
  return `${people} people would need a check each, but at most ${MAX_PEOPLE_CHECKED} are checked`
}

function isNoOne({ users, groups, classes }: AnyOf): boolean {
  return users.size + groups.size + classes.size === 0
}

function undecided(reason: string, passed = anyOf()): NodeVerdict {
  return { kind: 'undecided', passed, reason }
}
