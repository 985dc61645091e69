import type { Directory } from '../../access.ts'
import { AppError } from '../../errors.ts'
import type { WikiClient } from './client.ts'
import type { Account } from './restrictions.ts'

/**
 * Who is in which group, and who is a person: read once per listing, and only what some AND needs. What could
 * not be read stays `undefined`, and so grants nothing.
 */
export type WikiDirectory = Directory & {
  learn(accounts: Account[]): void
  load(wanted: { groups: Iterable<string>; users: Iterable<string> }, signal: AbortSignal): Promise<void>
}

export function createDirectory(client: WikiClient): WikiDirectory {
  const members = new Map<string, ReadonlySet<string>>()
  const types = new Map<string, string>()
  const groupLoads = new Map<string, Promise<void>>()
  const userLoads = new Map<string, Promise<void>>()

  function learn(accounts: Account[]): void {
    for (const { id, type } of accounts) if (type) types.set(id, type)
  }

  async function loadGroup(group: string, signal: AbortSignal): Promise<void> {
    const accounts = await client.members(group, signal).catch(unlessTheJobEnds)
    if (!accounts) return
    learn(accounts)
    members.set(group, new Set(accounts.map(({ id }) => id)))
  }

  async function loadUser(user: string, signal: AbortSignal): Promise<void> {
    const account = await client.account(user, signal).catch(unlessTheJobEnds)
    // An account that is gone is no person any more; one that could not be read stays unknown.
    if (account === null) types.set(user, 'gone')
    else if (account) learn([account])
  }

  return {
    learn,
    load: async ({ groups, users }, signal) => {
      await Promise.all([...groups].map((group) => once(groupLoads, group, () => loadGroup(group, signal))))
      const strangers = [...users].filter((user) => !types.has(user))
      await Promise.all(strangers.map((user) => once(userLoads, user, () => loadUser(user, signal))))
    },
    members: (group) => members.get(group),
    isPerson: (user) => {
      const type = types.get(user)
      return type === undefined ? undefined : type === 'atlassian'
    },
    inClass: () => undefined,
  }
}

/** Undefined for an error that concerns this one thing alone. */
export function unlessTheJobEnds(error: unknown): undefined {
  if (error instanceof AppError && !error.endsJob) return undefined
  throw error
}

function once(loads: Map<string, Promise<void>>, key: string, load: () => Promise<void>): Promise<void> {
  const started = loads.get(key) ?? load()
  loads.set(key, started)
  return started
}
