import { AppError } from '../../errors.ts'
import * as wire from './answers.ts'
import type { RestrictionsClient } from './client.ts'
import { PAGE } from './lists.ts'
import { named, toAccount, told } from './restrictions.ts'
import { found, toLabels } from './search.ts'
import type { Transport } from './transport.ts'

const LISTS = ['read', 'update'].flatMap((operation) =>
  ['user', 'group'].map((kind) => `${operation}.restrictions.${kind}`),
)

/** The restrictions of pages and folders themselves; the wiki never tells inherited ones. */
export function cloudRestrictions(transport: Transport): RestrictionsClient {
  const { site, ask } = transport

  return {
    marks: async (ids, signal) => {
      const expand = [...LISTS.map((list) => `restrictions.${list}`), 'metadata.labels'].join(',')
      const asked = { doing: 'reading restrictions', ids, query: { expand, limit: PAGE } }
      return (await found(transport, asked, signal)).map(({ id, restrictions, metadata }) => ({
        id,
        told: told(restrictions),
        labels: toLabels(metadata?.labels?.results ?? []),
      }))
    },

    restriction: async (id, signal) => {
      const doing = `reading the restrictions of ${id}`
      const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation`
      const query = { expand: LISTS.join(',') }
      const first = told(await ask({ doing, path, query, answer: wire.restrictionsAnswer }, signal))
      if (!first) throw new AppError('source_misread', `${doing}: the answer of ${site.name} does not say`)
      if (first.whole) return first
      const read = await operation({ doing, path: `${path}/read` }, signal)
      const update = await operation({ doing, path: `${path}/update` }, signal)
      return {
        restriction: { read: named(read.users, read.groups), update: named(update.users, update.groups) },
        accounts: [...read.users, ...update.users].flatMap(toAccount),
        whole: true,
      }
    },
  }

  /** Both lists of one operation; they share one offset, and end when neither has anything new. */
  async function operation(question: { doing: string; path: string }, signal: AbortSignal): Promise<Lists> {
    const lists: Lists = { users: [], groups: [] }
    const seen = new Set<string>()
    for (let start = 0; ; ) {
      const query = { expand: 'restrictions.user,restrictions.group', start: String(start), limit: '200' }
      const { restrictions } = await ask({ ...question, query, answer: wire.operationAnswer }, signal)
      if (!restrictions?.user || !restrictions.group) {
        throw new AppError('source_misread', `${question.doing}: the answer of ${site.name} does not say`)
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

type Lists = { users: wire.AccountAnswer[]; groups: { id?: string | null }[] }
