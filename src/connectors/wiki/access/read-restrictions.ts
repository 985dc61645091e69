import { AppError } from '../../../errors.ts'
import type { AccountResponse, GroupResponse, RestrictionsWire } from '../responses.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { toAccount } from './accounts.ts'
import { type ParsedRestrictions, parseRestrictions, restrictedTo } from './restrictions.ts'

export const RESTRICTION_LISTS = ['read', 'update'].flatMap((operation) =>
  ['user', 'group'].map((kind) => `${operation}.restrictions.${kind}`),
)
const OPERATION_LISTS = 'restrictions.user,restrictions.group'

/** The deployments name the lists of both operations differently. */
export const EXPAND_BOTH = { cloud: OPERATION_LISTS, dataCenter: RESTRICTION_LISTS.join(',') }

export type Lists = Pick<WikiTransport, 'site' | 'send'> & { wire: RestrictionsWire; expandBoth: string }

/** Reads all restrictions on reading and updating a page or folder. */
export async function readRestrictions(
  { site, send, wire, expandBoth }: Lists,
  id: string,
  signal: AbortSignal,
): Promise<ParsedRestrictions> {
  const doing = `reading the restrictions of ${id}`
  const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation`
  const query = { expand: expandBoth }
  const first = parseRestrictions(await send({ doing, path, query, response: wire.restrictions }, signal))
  if (!first) throw new AppError('source_misread', `${doing}: the response of ${site.name} is incomplete`)
  if (first.complete) return first
  const read = await readOperation(`${path}/read`)
  const update = await readOperation(`${path}/update`)
  return {
    restriction: {
      read: restrictedTo(read.users, read.groups),
      update: restrictedTo(update.users, update.groups),
    },
    accounts: [...read.users, ...update.users].flatMap(toAccount),
    complete: true,
  }

  /** Both lists share one offset and end when neither has new rows. */
  async function readOperation(path: string): Promise<ReadLists> {
    const lists: ReadLists = { users: [], groups: [] }
    const seen = new Set<string>()
    for (let start = 0; ; ) {
      const query = { expand: OPERATION_LISTS, start: String(start), limit: '200' }
      const { restrictions } = await send({ doing, path, query, response: wire.operation }, signal)
      if (!restrictions?.user || !restrictions.group) {
        throw new AppError('source_misread', `${doing}: the response of ${site.name} is incomplete`)
      }
      const users = restrictions.user.results
      const groups = restrictions.group.results
      const before = seen.size
      for (const user of users) seen.add(`user:${user.accountId}`)
      for (const group of groups) seen.add(`group:${group.id}`)
      if (seen.size === before) return lists
      lists.users.push(...users)
      lists.groups.push(...groups)
      start += Math.max(users.length, groups.length)
    }
  }
}

type ReadLists = { users: AccountResponse[]; groups: GroupResponse[] }
