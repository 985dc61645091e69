import type { LabAddress, Person } from './types.ts'

export const MAX_PEOPLE = 3
const SLOTS = [
  ['user', 'groups'],
  ['user2', 'groups2'],
  ['user3', 'groups3'],
] as const

/** The people in the address, each once. */
export function peopleIn(address: LabAddress): Person[] {
  const people = SLOTS.flatMap(
    ([user, groups]) => personOf({ user: address[user], groups: address[groups] }) ?? [],
  )
  return people.filter((person, index) => people.findIndex((each) => isSamePerson(each, person)) === index)
}

/** The change of the address that searches as these people. */
export function addressOfPeople(people: readonly Person[]): Partial<LabAddress> {
  const entries = SLOTS.flatMap(([user, groups], index) => [
    [user, people[index]?.user],
    [groups, people[index]?.groups?.join(', ')],
  ])
  return Object.fromEntries(entries)
}

export function isSamePerson(one: Person, other: Person): boolean {
  return one.user === other.user && one.groups?.join() === other.groups?.join()
}

/** An empty person is the signed-in one, whom the service knows. */
export function asPerson(person: Person): { as?: Person } {
  return isSelf(person) ? {} : { as: person }
}

export function isSelf({ user, groups }: Person): boolean {
  return user === undefined && groups === undefined
}

/** Undefined without an account and groups. */
export function personOf({
  user,
  groups,
}: {
  user?: string | undefined
  groups?: string | undefined
}): Person | undefined {
  const groupIds = listOf(groups)
  const person: Person = {
    ...(user?.trim() ? { user: user.trim() } : {}),
    ...(groupIds.length > 0 ? { groups: groupIds } : {}),
  }
  return isSelf(person) ? undefined : person
}

export function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean)
}
