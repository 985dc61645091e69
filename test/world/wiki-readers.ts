import type { GroupMembership } from '../../src/connectors/source.ts'
import type { WikiSource } from '../../src/connectors/wiki/source.ts'
import type { DocumentRef } from '../../src/document.ts'
import { type Naming, type Principals, personTokens } from '../../src/permissions/principals.ts'
import type { Wiki } from './wiki/start.ts'
import type { Deployment } from './wiki-source.ts'

/** Compares permissions of listed pages with what the wiki itself says, for every person. */
type ReaderAccount = GroupMembership & { accountId: string; user: string; naming: Naming }
type WikiDeployment = { wiki: Wiki; deployment: Deployment }

export async function allPeople(
  { wiki, deployment }: WikiDeployment,
  source: WikiSource,
): Promise<ReaderAccount[]> {
  const { signal } = new AbortController()
  const { people } = await wiki.control.truth()
  const { naming } = await source.site(signal)
  // Data Center has no customer accounts.
  const local = people.filter(({ accountType }) => deployment.site === 'cloud' || accountType !== 'customer')
  return Promise.all(
    local.map(async (person) => {
      const user = deployment.idOf(person)
      const belonging = await source.people.groupsOf(user, signal)
      return { accountId: person.accountId, user, naming, ...belonging }
    }),
  )
}

/** Empty if exactly the allowed people may read, in both forms. */
export async function wrongReaders(
  on: WikiDeployment,
  source: WikiSource,
  refs: DocumentRef[],
): Promise<string[]> {
  const people = await allPeople(on, source)
  const readers = await on.wiki.control.readers(on.deployment.site)
  return refs.flatMap((ref) => {
    const allowed = new Set(readers[ref.locator.page_id!])
    return people.flatMap((one) => {
      const truth = allowed.has(one.accountId)
      const flat = isIn(ref.access.permissions[0].read, one) === truth
      const clauses = matches(ref.access.clauses, one) === truth
      return flat && clauses ? [] : [`${ref.recordId} ${one.user} ${truth}: ${flat ? 'clauses' : 'flat'}`]
    })
  })
}

/** The same for update and delete, which have only lists. */
export async function wrongWriters(
  on: WikiDeployment,
  source: WikiSource,
  refs: DocumentRef[],
): Promise<string[]> {
  const people = await allPeople(on, source)
  const { control } = on.wiki
  const { site } = on.deployment
  const wrong: string[] = []
  for (const ref of refs) {
    const id = ref.locator.page_id!
    const [, { update }, { delete: remove }] = ref.access.permissions
    await Promise.all(
      people.map(async (one) => {
        const [mayUpdate, mayDelete] = await Promise.all([
          control.canUpdate(one.accountId, id, site),
          control.canDelete(one.accountId, id, site),
        ])
        if (isIn(update, one) !== mayUpdate) wrong.push(`update ${id} ${one.user} ${mayUpdate}`)
        if (isIn(remove, one) !== mayDelete) wrong.push(`delete ${id} ${one.user} ${mayDelete}`)
      }),
    )
  }
  return wrong
}

function isIn(list: Principals, { account, user, groups, classes }: ReaderAccount): boolean {
  const named =
    (account === 'known' && list.users.includes(user)) || groups.some((group) => list.groups.includes(group))
  return named || classes.some((name) => list.access_classes?.includes(name) ?? false)
}

export function matches(clauses: Record<string, string[]>, reader: ReaderAccount): boolean {
  const { account, user, groups, classes, naming } = reader
  const named = account === 'known' ? { user } : {}
  const tokens = new Set(personTokens({ ...named, groups, classes }, naming))
  return Object.values(clauses).every((list) => list.some((token) => tokens.has(token)))
}
