import { LICENSED } from '../../../access.ts'
import type { PermissionChecksClient } from '../client.ts'
import { undefinedUnlessFatal, type WikiDirectory } from './directory.ts'

/** Sites with more groups are not checked group by group. */
export const MAX_GROUPS = 200

/** The licensed people of a Cloud site. Only groups give licences; those in `cover` contain every licensed person. */
export type Licensed = { groups: string[]; cover: string[]; people: ReadonlySet<string> } | { reason: string }

export async function licensedPeople(
  { checks, directory }: { checks: PermissionChecksClient; directory: WikiDirectory },
  signal: AbortSignal,
): Promise<Licensed> {
  const groups = await checks.groups(signal).catch(undefinedUnlessFatal)
  if (!groups) return { reason: 'the groups of the wiki could not be listed' }
  if (groups.length > MAX_GROUPS)
    return { reason: `the wiki has ${groups.length} groups, but at most ${MAX_GROUPS} are checked` }
  await directory.load({ groups, users: [] }, signal)
  const members = groups.map((id) => ({ id, members: directory.members(id) }))
  const unread = members.find((group) => !group.members)
  if (unread) return { reason: `the members of group ${unread.id} could not be read` }
  const accounts = new Set(members.flatMap((group) => [...(group.members ?? [])]))
  await directory.load({ groups: [], users: accounts }, signal)
  // An account of unknown kind may be licensed, so it has to pass.
  const people = new Set([...accounts].filter((user) => directory.inClass(user, LICENSED) !== false))
  if (people.size === 0) return { reason: 'the groups of the wiki have no members' }
  return { groups, people, cover: coverOf(members, people) }
}

/** The largest groups first, as long as each adds people; usually one or two. */
function coverOf(
  groups: { id: string; members: ReadonlySet<string> | undefined }[],
  people: ReadonlySet<string>,
): string[] {
  const left = new Set(people)
  const cover: string[] = []
  const bySize = groups.toSorted((a, b) => (b.members?.size ?? 0) - (a.members?.size ?? 0))
  for (const { id, members = new Set<string>() } of bySize) {
    const before = left.size
    for (const user of members) left.delete(user)
    if (left.size < before) cover.push(id)
  }
  return cover
}
