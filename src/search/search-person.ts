import { z } from 'zod'
import { accountsOfMember } from '../accounts/identities.ts'
import type { PersonTokens } from '../accounts/person-token.ts'
import type { Caller } from '../accounts/roles.ts'
import { AppError, invalid } from '../errors.ts'
import { readPerson } from '../store/accounts/people.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'

/** The person to search or explain as; `groups` replace those of the source. */
export const personQueryShape = z
  .strictObject({
    user: z.string().min(1).max(1000).optional(),
    groups: z
      .array(z.string().max(255, 'at most 255 characters'))
      .max(1000, 'at most 1000 groups')
      .optional(),
  })
  .meta({ anyOf: [{ required: ['user'] }, { required: ['groups'] }] })
export type PersonQuery = z.infer<typeof personQueryShape>

/** The person whose permissions a request uses. */
export type SearchPerson =
  | { kind: 'named'; as: PersonQuery }
  /** Proved by a token or a session; `name` is for the audit log. */
  | { kind: 'bound'; name: string; accountsIn(sourceIds: string[]): Promise<Map<string, string | null>> }

export type BoundPerson = Extract<SearchPerson, { kind: 'bound' }>

/** Who sent a request, with the person token of its header. */
export type SearchCaller = { caller: Caller; token: string | undefined }

export interface SearchPeople {
  /** `at` is the path of `as` in errors. */
  personOf(by: SearchCaller, query: { as: PersonQuery | undefined; at: string[] }): Promise<SearchPerson>
}

export function createSearchPeople(db: Database, personTokens: PersonTokens): SearchPeople {
  return {
    async personOf({ caller, token }, { as, at }) {
      const bound = await boundPerson(caller, token)
      if (bound) {
        if (as && mayName(caller) && !token) return named(as, at)
        if (as) throw asRefused(caller, token, at)
        return bound
      }
      if (!as) throw invalid(at, 'a person is needed: `as`, or the header X-Person-Token', 'missing')
      if (!mayName(caller)) throw mayNotImpersonate()
      return named(as, at)
    },
  }

  async function boundPerson(caller: Caller, token: string | undefined): Promise<BoundPerson | null> {
    const { workspaceId, search } = caller
    const userId = caller.kind === 'person' ? caller.id : search?.personId
    if (token !== undefined) {
      if (userId) throw invalid(['headers', 'X-Person-Token'], 'only an API key takes a person token')
      return { kind: 'bound', ...(await personTokens.verify(workspaceId, token)) }
    }
    if (!userId) return null
    const person = await readPerson(db, userId)
    return {
      kind: 'bound',
      name: person?.email ?? userId,
      accountsIn: (sourceIds) => accountsOfMember(db, { workspaceId, userId }, sourceIds),
    }
  }
}

/** Equal for the same person, for cursors. */
export function personKey(person: SearchPerson): object {
  return person.kind === 'bound' ? { person: person.name } : { as: person.as }
}

/** Full keys, search keys that may impersonate, and administrators may name the person. */
export function mayName({ kind, role, search }: Caller): boolean {
  return kind === 'person' ? role === 'administrator' : !search || search.mayImpersonate
}

/** A search key works only for its destinations. */
export function requireDestination({ search }: Caller, { id }: ConnectorRow): void {
  if (!search || search.destinationIds.length === 0 || search.destinationIds.includes(id)) return
  throw new AppError('key_scope', 'this key may not search this destination', {
    fix: 'Use a key for this destination',
  })
}

export function mayNotImpersonate(): AppError {
  return new AppError('key_scope', 'this key may not name the person in `as`', {
    fix: 'Send the header X-Person-Token, or use a key that may impersonate',
  })
}

function named(as: PersonQuery, at: string[]): SearchPerson {
  if (!as.user && !as.groups) throw invalid(at, 'a person is needed: a user, or groups', 'missing')
  return { kind: 'named', as }
}

function asRefused(caller: Caller, token: string | undefined, at: string[]): AppError {
  if (caller.kind === 'person')
    return new AppError('forbidden', 'only an administrator may search as another person')
  const what = token === undefined ? 'a personal token' : 'the header X-Person-Token'
  return invalid(at, `not accepted with ${what}, which names the person`)
}
