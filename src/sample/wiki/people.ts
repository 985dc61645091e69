import type { Group, Person, World } from './model.ts'

export function addPerson(
  world: World,
  person: Partial<Person> & Pick<Person, 'accountId' | 'name'>,
): Person {
  const username = person.username ?? person.name.toLowerCase().replaceAll(/[^a-z]+/g, '.')
  const made: Person = {
    accountType: 'atlassian',
    email: `${username}@acme.example`,
    emailVisible: true,
    username,
    userKey: userKeyOf(person.accountId),
    active: true,
    licensed: true,
    guest: false,
    ...person,
  }
  world.people.set(made.accountId, made)
  const everybody = [...world.groups.values()].find((group) => group.name === 'confluence-users')
  if (made.accountType === 'atlassian' && made.licensed) everybody?.members.add(made.accountId)
  return made
}

export function addGroup(
  world: World,
  group: { id: string; name: string; members?: string[]; deleted?: boolean },
): Group {
  const made = {
    id: group.id,
    name: group.name,
    members: new Set(group.members),
    deleted: group.deleted ?? false,
  }
  world.groups.set(made.id, made)
  return made
}

export const fixedUuid = (value: number): string =>
  `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`

/** Opaque hex, as Data Center makes it; derived, so that both sites speak of the same person. */
export function userKeyOf(accountId: string): string {
  const hex = Buffer.from(accountId).toString('hex')
  return `4028${hex.slice(-28).padStart(28, '0')}`
}
