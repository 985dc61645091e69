import type { Api } from '../../service/session.ts'
import { asPerson } from './person.ts'
import type { Explanation, Level, Person, Principals } from './types.ts'

/** The current permissions of the source; fetched once, because every request is audited. */
export function explanationQuery(
  api: Api,
  destination: string,
  { recordId, person }: { recordId: string; person: Person },
) {
  const path = `/destinations/${destination}/explain`
  return {
    queryKey: [...api.query(path).queryKey, recordId, person],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.post<Explanation>(path, { record_id: recordId, ...asPerson(person) }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  }
}

/** The deciding level first, then the others from the top. */
export function decidingFirst(chain: readonly Level[]): { deciding: Level | undefined; others: Level[] } {
  const deciding = chain.find(({ decides }) => decides) ?? chain.find(({ satisfied }) => !satisfied)
  return { deciding, others: chain.filter((level) => level !== deciding) }
}

export type NamedToken = { token: string; name: string | null }

/** Groups first: they explain more than single people. */
export function tokensOf({ users, groups, classes }: Principals): NamedToken[] {
  return [
    ...classes.map((id) => ({ token: id.startsWith('class:') ? id : `class:${id}`, name: null })),
    ...groups.map(({ id, name }) => ({ token: `group:${id}`, name })),
    ...users.map(({ id, name }) => ({ token: `user:${id}`, name })),
  ]
}
