import { forEachLimited } from '../concurrency.ts'
import type { LoadedDirectory, PeopleDirectory } from '../connectors/source.ts'
import { AppError } from '../errors.ts'
import { ANONYMOUS, AUTHENTICATED, type Belonging, LICENSED } from '../permissions/principals.ts'
import type { ReaderLevel } from './reader-levels.ts'

type Candidate = Required<Belonging>

/** People who may pass all levels, with what they belong to. `reason` is set if people may be missing. */
export type Candidates = {
  people: Candidate[]
  /** Members of groups, as far as they are known. */
  members: Map<string, string[]>
  names: Map<string, string>
  reason: string | null
}

/** Up to this number, the source is asked about each person, as a search does. */
const ASKED_ONE_BY_ONE = 40
const CONCURRENT = 5
/** More groups take too long to read. */
const MAX_GROUPS = 20
const MAX_NAMED_USERS = 1000

/** Reads the members of a level, and what they belong to. An account without a proved status is left out. */
export async function readerCandidates(
  people: PeopleDirectory,
  { narrowest, levels }: { narrowest: ReaderLevel; levels: ReaderLevel[] },
  signal: AbortSignal,
): Promise<Candidates> {
  const load = people.directory?.bind(people)
  const found: Candidates = { people: [], members: new Map(), names: new Map(), reason: null }
  if (!load) return { ...found, reason: 'the source does not list the members of groups' }
  const named = [...narrowest.who.users].slice(0, MAX_NAMED_USERS)
  if (named.length < narrowest.who.users.size) found.reason = 'a level names too many people'
  const first = await loadGroups([...narrowest.who.groups])
  const users = [...new Set([...named, ...[...found.members.values()].flat()])]
  found.people = users.length <= ASKED_ONE_BY_ONE ? await askEach(users) : await fromGroups(users)
  return found

  async function loadGroups(groups: string[]): Promise<LoadedDirectory[]> {
    const directories: LoadedDirectory[] = []
    const wanted = groups.slice(0, MAX_GROUPS)
    if (wanted.length < groups.length) found.reason ??= `only the members of ${MAX_GROUPS} groups were read`
    await forEachLimited(wanted, CONCURRENT, async (group) => {
      const directory = await load!({ users: [], groups: [group] }, signal).catch(unlessBug)
      const members = directory?.members(group)
      if (!directory || !members) {
        found.reason ??= `the members of group ${group} could not be read`
        return
      }
      found.members.set(group, [...members].filter(directory.isActive))
      for (const [id, name] of directory.names) found.names.set(id, name)
      directories.push(directory)
    })
    return directories
  }

  async function askEach(users: string[]): Promise<Candidate[]> {
    const asked: Candidate[] = []
    await forEachLimited(users, CONCURRENT, async (user) => {
      const membership = await people.groupsOf(user, signal).catch(unlessBug)
      if (!membership) found.reason ??= `the groups of ${user} could not be read`
      if (membership?.account !== 'known') return
      asked.push({ user, groups: new Set(membership.groups), classes: new Set(membership.classes) })
    })
    return asked
  }

  /** Also reads the groups of the other levels, because asking for each person takes too long. */
  async function fromGroups(users: string[]): Promise<Candidate[]> {
    const others = new Set(levels.flatMap(({ who }) => [...who.groups]))
    const unread = [...others].filter((group) => !narrowest.who.groups.has(group))
    const directories = [...first, ...(await loadGroups(unread))]
    const accounts =
      named.length > 0 ? await load!({ users: named, groups: [] }, signal).catch(unlessBug) : null
    if (accounts) directories.push(accounts)
    else if (named.length > 0) found.reason ??= 'the accounts of people could not be read'
    const groupsOf = new Map<string, Set<string>>()
    for (const [group, members] of found.members)
      for (const user of members) groupsOf.set(user, (groupsOf.get(user) ?? new Set()).add(group))
    return users.flatMap((user) => {
      // Answers may disagree, and a closed account or a guest gets nothing that another answer grants.
      const isActive = directories.some((each) => each.isActive(user))
      if (!isActive || directories.some((each) => each.isIgnored(user))) return []
      const inClass = (name: string) => {
        const answers = directories.map((each) => each.inClass(user, name))
        return answers.includes(true) && !answers.includes(false)
      }
      const classes = new Set([ANONYMOUS, ...[AUTHENTICATED, LICENSED].filter(inClass)])
      return [{ user, groups: groupsOf.get(user) ?? new Set<string>(), classes }]
    })
  }
}

/** What the source refuses or does not answer stays unknown and grants nothing. */
function unlessBug(error: unknown): null {
  if (error instanceof AppError || (error instanceof Error && error.name === 'TimeoutError')) return null
  throw error
}
