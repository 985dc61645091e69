import { AppError } from '../../../errors.ts'
import { type Account, toAccount } from '../access/accounts.ts'
import { PEOPLE_SHOWN } from '../access/people.ts'
import type { PeopleClient } from '../client.ts'
import { listOf } from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'
import * as wire from './responses.ts'

const PAGE = 200
const PAGES_LOOKED_AT = 5
const WITH_STATUS = { expand: 'status' }

/** Accounts by key and groups by name. */
export function dataCenterPeople(transport: WikiTransport): PeopleClient {
  const { site, ask } = transport
  const { byOffset } = listReaders(transport)

  async function profile(key: string, signal: AbortSignal): Promise<Account | null> {
    const query = { key, ...WITH_STATUS }
    const question = { doing: `looking up account ${key}`, path: '/rest/api/user', query }
    try {
      return toAccount(await ask({ ...question, response: wire.serverAccountAnswer }, signal))[0] ?? null
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  return {
    me: async (signal) => {
      const question = {
        doing: 'signing in',
        path: '/rest/api/user/current',
        response: wire.serverAccountAnswer,
      }
      const [account] = toAccount(await ask(question, signal))
      if (account) return account
      // Before 7.9 the server ignores tokens and treats the request as anonymous.
      throw new AppError(
        'source_unauthorized',
        `signing in: ${site.name} did not recognise the credentials`,
        {
          fix: 'Use username and password; personal access tokens need version 7.9 or later',
        },
      )
    },

    members: async (group, signal) => {
      const doing = `reading the members of group ${group}`
      const path = `/rest/api/group/${encodeURIComponent(group)}`
      try {
        const asked = { doing, path: `${path}/member`, query: WITH_STATUS }
        return (await byOffset(asked, wire.serverAccountAnswer, signal)).flatMap(toAccount)
      } catch (error) {
        // Some servers do not find groups with these characters, so a 404 proves nothing.
        if (!isNotFound(error) || /[/\\%;?#]/.test(group)) throw error
        if (
          await ask({ doing, path, response: wire.serverGroupAnswer }, signal).then(() => false, isNotFound)
        )
          return []
        throw error
      }
    },

    account: profile,
    profile,

    // There is no bulk request, and no class needs it.
    accounts: async () => [],

    groupsOf: async (key, signal) => {
      const path = '/rest/api/user/memberof'
      const question = { doing: `reading the groups of ${key}`, path, query: { key } }
      return (await byOffset(question, wire.serverGroupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },

    // There is no search for people, so this reads the start of the full list.
    find: async (text, signal) => {
      const found: Account[] = []
      for (let page = 0; page < PAGES_LOOKED_AT && found.length < PEOPLE_SHOWN; page++) {
        const query = { start: String(page * PAGE), limit: String(PAGE), ...WITH_STATUS }
        const question = { doing: 'looking for people', path: '/rest/api/user/list', query }
        const { results } = await ask({ ...question, response: listOf(wire.serverAccountAnswer) }, signal)
        found.push(...results.flatMap(toAccount).filter(({ name }) => hasWord(name ?? '', text)))
        if (results.length < PAGE) break
      }
      return found
    },
  }
}

/** As on Cloud, one word of the name starts with the text. */
function hasWord(name: string, text: string): boolean {
  return ` ${name.toLowerCase()}`.includes(` ${text.trim().toLowerCase()}`)
}
