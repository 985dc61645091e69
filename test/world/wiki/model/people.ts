import type { Group, WikiPerson, World } from './model.ts'

export function addPerson(
  world: World,
  person: Partial<WikiPerson> & Pick<WikiPerson, 'accountId' | 'name'>,
): WikiPerson {
  const username = person.username ?? person.name.toLowerCase().replaceAll(/[^a-z]+/g, '.')
  const made: WikiPerson = {
    accountType: 'atlassian',
    email: `${username}@acme.example`,
    emailVisible: true,
    username,
    userKey: userKeyOf(person.accountId),
    active: true,
    closed: false,
    licensed: true,
    guest: false,
    ...person,
  }
  world.people.set(made.accountId, made)
  joinLicensed(world, made)
  return made
}

/** The group `confluence-users` holds licensed people, also deactivated ones. */
function joinLicensed(world: World, person: WikiPerson): void {
  const group = [...world.groups.values()].find(({ name }) => name === 'confluence-users')
  if (person.accountType === 'atlassian' && person.licensed && !person.guest)
    group?.members.add(person.accountId)
  else group?.members.delete(person.accountId)
}

export type PersonChange = Partial<Omit<WikiPerson, 'accountId' | 'userKey'>>

export function changePerson(world: World, person: WikiPerson, change: PersonChange): void {
  Object.assign(person, change)
  joinLicensed(world, person)
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

/** Opaque hex like on Data Center, derived from the account id. */
export function userKeyOf(accountId: string): string {
  const hex = Buffer.from(accountId).toString('hex')
  return `4028${hex.slice(-28).padStart(28, '0')}`
}
