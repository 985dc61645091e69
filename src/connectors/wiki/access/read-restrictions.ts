import { AppError } from '../../../errors.ts'
import type { AccountResponse, GroupResponse, RestrictionsWire } from '../responses.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { toAccount } from './accounts.ts'
import { type ParsedRestrictions, parseRestrictions, restrictedTo } from './restrictions.ts'

export const RESTRICTION_LISTS = ['read', 'update'].flatMap((operation) =>
  ['user', 'group'].map((kind) => `${operation}.restrictions.${kind}`),
)

/** Reads all restrictions on reading and updating a page or folder. */
export async function readRestrictions(
  { site, send, wire }: Pick<WikiTransport, 'site' | 'send'> & { wire: RestrictionsWire },
  id: string,
  signal: AbortSignal,
): Promise<ParsedRestrictions> {
  const doing = `reading the restrictions of ${id}`
  const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation`
  const query = { expand: RESTRICTION_LISTS.join(',') }
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
  async function readOperation(path: string): Promise<Lists> {
    const lists: Lists = { users: [], groups: [] }
    const seen = new Set<string>()
    for (let start = 0; ; ) {
      const query = { expand: 'restrictions.user,restrictions.group', start: String(start), limit: '200' }
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

type Lists = { users: AccountResponse[]; groups: GroupResponse[] }
