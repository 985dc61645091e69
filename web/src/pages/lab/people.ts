import { useNames } from '../../service/names.ts'
import type { Api } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'
import { labTexts } from '../../texts/lab.ts'
import { useLab } from './lab-context.ts'
import { isSelf } from './person.ts'
import type { Person } from './types.ts'

const texts = labTexts.people

type PeopleResponse = ResponseOf<'GET /api/v1/destinations/{id}/people'>

/** People of the sources of a destination, by the start of a name or by id. */
export function peopleQuery(api: Api, destination: string, text: string) {
  return {
    ...api.query<PeopleResponse>(`/destinations/${destination}/people`, { query: text || undefined }),
    retry: false,
    staleTime: 5 * 60_000,
  }
}

/** The names of people in the source, else their account ids. */
export function usePersonNames(people: readonly Person[]): string[] {
  const { destination } = useLab()
  const { users } = useNames(destination.id, { users: people.flatMap(({ user }) => user ?? []) })
  return people.map((person) => {
    const { user, groups } = person
    if (isSelf(person)) return texts.self
    if (!user) return texts.groupsOnly(groups?.length ?? 0)
    const name = users.get(user) ?? user
    return groups ? texts.withGroups(name, groups.length) : name
  })
}
