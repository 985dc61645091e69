import { LICENSED } from '../../../permissions/principals.ts'
import type { PermissionChecksClient } from '../client.ts'
import { undefinedUnlessFatal, type WikiDirectory } from './directory.ts'

/** The members of more groups are not read. */
const MAX_GROUPS = 2000

/** All groups of a Cloud site and its licensed people; only groups give licences. */
type Licensed = { groups: string[]; people: ReadonlySet<string> } | { reason: string }
export type SiteGroups = ReturnType<typeof createSiteGroups>

/** Read once per listing, when a check needs it. */
export function createSiteGroups(checks: PermissionChecksClient | null, directory: WikiDirectory) {
  let loading: Promise<string[] | undefined> | undefined
  const list = async (signal: AbortSignal) => {
    const groups = await checks?.groups(signal).catch(undefinedUnlessFatal)
    if (groups && groups.length <= MAX_GROUPS) await directory.load({ groups, users: [] }, signal)
    return groups
  }
  const load = (signal: AbortSignal) => {
    loading ??= list(signal)
    return loading
  }
  return {
    /** The ids of all groups, with their members loaded; empty if they cannot be listed. */
    load: async (signal: AbortSignal) => (await load(signal)) ?? [],
    licensed: async (signal: AbortSignal) => licensedOf(await load(signal), directory, signal),
  }
}

async function licensedOf(
  groups: string[] | undefined,
  directory: WikiDirectory,
  signal: AbortSignal,
): Promise<Licensed> {
  if (!groups) return { reason: 'the groups of the wiki could not be listed' }
  if (groups.length > MAX_GROUPS)
    return { reason: `the wiki has ${groups.length} groups, but at most ${MAX_GROUPS} are read` }
  const unread = groups.find((id) => !directory.members(id))
  if (unread) return { reason: `the members of group ${unread} could not be read` }
  const accounts = new Set(groups.flatMap((id) => [...(directory.members(id) ?? [])]))
  await directory.load({ groups: [], users: accounts }, signal)
  // An account of unknown kind may be licensed, so it has to pass.
  const people = new Set([...accounts].filter((user) => directory.inClass(user, LICENSED) !== false))
  return people.size > 0 ? { groups, people } : { reason: 'the groups of the wiki have no members' }
}
