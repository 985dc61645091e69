import { accountNames, newAccount } from './accounts.ts'
import type { Group, WikiPerson, World } from './model/model.ts'
import { addGroup, addPerson, fixedUuid } from './model/people.ts'
import type { Random } from './model/random.ts'

/** Ordinary people, one app, one customer, the callers, and their groups. */
const firstNames =
  'Ada Bram Chloe Dmitri Elif Farid Greta Hugo Ines Jonas Kemi Lars Mina Nils Olga Pedro Quinn Rosa Sven Tara Umar Vera Wim Xenia Yusuf Zoe'.split(
    ' ',
  )
const lastNames =
  'Abel Brandt Castro Dumont Eriksen Fischer Gallo Hansen Ivanova Jansen Kovacs Lindqvist Moreau Novak Okafor Petrov Quist Rossi Silva Tanaka Ueda Varga Weiss Young Zhang'.split(
    ' ',
  )
const groupNames =
  'engineering platform-team data-team people-team finance leadership legal sales marketing support contractors security design mobile-team office it-operations interns works-council research partners'.split(
    ' ',
  )

/** The callers are people too; the groups must exist before them. */
export function addCallers(world: World): void {
  addGroup(world, { id: fixedUuid(1), name: 'confluence-users' })
  addGroup(world, { id: fixedUuid(2), name: 'confluence-admins' })
  addGroup(world, { id: fixedUuid(3), name: 'confluence-administrators' })
  for (const [at, name] of accountNames.entries()) {
    const accountId = `557058:${fixedUuid(100 + at)}`
    addPerson(world, {
      accountId,
      name: `${name.charAt(0).toUpperCase()}${name.slice(1)} Account`,
      username: name,
      email: `${name}@acme.example`,
    })
    world.accounts.push(newAccount(name, accountId))
    if (name === 'admin') for (const id of [2, 3]) world.groups.get(fixedUuid(id))?.members.add(accountId)
  }
}

export interface Cast {
  people: WikiPerson[]
  groups: Group[]
  app: WikiPerson
  customer: WikiPerson
  deletedGroup: Group
}

export function generatePeople(
  world: World,
  random: Random,
  counts: { people: number; groups: number },
): Cast {
  addCallers(world)
  const people = Array.from({ length: counts.people }, (_, at) => {
    const first = firstNames[at % firstNames.length] ?? ''
    const last = lastNames[(at * 7 + Math.floor(at / firstNames.length)) % lastNames.length] ?? ''
    return addPerson(world, {
      accountId: `557058:${random.uuid()}`,
      name: `${first} ${last}`,
      username: `${first}.${last}.${at}`.toLowerCase(),
      emailVisible: !random.chance(0.2),
      active: !random.chance(0.04),
    })
  })
  const app = addPerson(world, {
    accountId: `557058:${random.uuid()}`,
    name: 'Automation for Wiki',
    accountType: 'app',
    email: '',
  })
  const customer = addPerson(world, {
    accountId: `qm:${random.uuid()}`,
    name: 'Casey Customer',
    accountType: 'customer',
    licensed: false,
  })
  const groups = Array.from({ length: counts.groups }, (_, at) => {
    const name = groupNames[at % groupNames.length] ?? 'group'
    const members = random.some(people, random.int(2, Math.max(3, Math.floor(counts.people / 4))))
    return addGroup(world, {
      id: random.uuid(),
      name: at < groupNames.length ? name : `${name}-${Math.floor(at / groupNames.length) + 1}`,
      members: members.map((person) => person.accountId),
    })
  })
  const deletedGroup = addGroup(world, { id: random.uuid(), name: 'dissolved-team', deleted: true })
  // An ordinary person is in the super-group of Data Center.
  const first = people[0]
  if (first !== undefined) world.groups.get(fixedUuid(3))?.members.add(first.accountId)
  const member = world.accounts.find((account) => account.name === 'member')
  const firstGroup = groups[0]
  if (member !== undefined) firstGroup?.members.add(member.accountId)
  return { people, groups, app, customer, deletedGroup }
}
