import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupMembership, PeopleDirectory } from '../connectors/source.ts'
import { AppError } from '../errors.ts'
import { admittingTokens, anyOf, UNQUALIFIED_NAMING } from '../permissions/principals.ts'
import { readerCandidates } from './reader-candidates.ts'
import { commonClass, narrowestLevel, type ReaderLevel } from './reader-levels.ts'

const { signal } = new AbortController()
const LICENSED = 'all-licensed-users'

type Person = { id: string; groups: string[]; active?: boolean; classes?: string[] }

/** A source with these people; `unreadable` groups fail. */
function directoryOf(all: Person[], unreadable: string[] = []): PeopleDirectory & { asked: string[] } {
  const asked: string[] = []
  const find = (id: string) => all.find((person) => person.id === id)
  const classesOf = ({ classes = [LICENSED] }: Person) => ['anonymous-users', ...classes]
  return {
    asked,
    find: async () => [],
    async groupsOf(user): Promise<GroupMembership> {
      asked.push(user)
      const person = find(user)
      if (!person) return { account: 'unknown', groups: [], classes: ['anonymous-users'] }
      if (person.active === false) return { account: 'inactive', groups: [], classes: [] }
      return { account: 'known', groups: person.groups, classes: classesOf(person) }
    },
    async directory({ groups, users }) {
      if (groups.some((group) => unreadable.includes(group)))
        throw new AppError('source_unauthorized', 'no permission')
      const isLoaded = ({ id, groups: own }: Person) =>
        users.includes(id) || own.some((each) => groups.includes(each))
      const loaded = all.filter(isLoaded)
      return {
        naming: UNQUALIFIED_NAMING,
        names: new Map(loaded.map(({ id }) => [id, id.toUpperCase()])),
        members: (group) =>
          new Set(all.filter((person) => person.groups.includes(group)).map(({ id }) => id)),
        isIgnored: (user) => find(user)?.active === false,
        isActive: (user) => loaded.some(({ id, active }) => id === user && active !== false),
        inClass: (user, name) =>
          classesOf(find(user) ?? { id: user, groups: [], classes: [] }).includes(name),
      }
    },
  }
}

const level = (who: ReaderLevel['who'], at: ReaderLevel['level'] = 'page'): ReaderLevel => ({
  ...{ level: at, id: at, title: at, who },
})
const many = (count: number, groups: string[]): Person[] =>
  Array.from({ length: count }, (_, at) => ({ id: `p${at}`, groups }))

async function readersOf(people: PeopleDirectory, levels: ReaderLevel[]) {
  const narrowest = narrowestLevel(levels, commonClass(levels)) ?? assert.fail('no level')
  const found = await readerCandidates(people, { narrowest, levels }, signal)
  const passed = found.people.filter((person) => levels.every(({ who }) => admittingTokens(who, person)[0]))
  return { ids: passed.map(({ user }) => user).sort(), reason: found.reason }
}

test('it asks for few people one by one, and leaves out inactive and unknown accounts', async () => {
  const people = directoryOf([
    { id: 'ann', groups: ['millers'] },
    { id: 'ben', groups: ['millers'], active: false },
    { id: 'cat', groups: [], classes: [] },
  ])
  const levels = [level(anyOf([], [], [LICENSED]), 'space'), level(anyOf(['cat', 'gone'], ['millers']))]
  assert.deepEqual(await readersOf(people, levels), { ids: ['ann'], reason: null })
  assert.ok(people.asked.includes('cat'))
})

test('it reads the groups of all levels for many people', async () => {
  const all = [
    ...many(60, ['millers', 'staff']),
    { id: 'outside', groups: ['millers'] },
    { id: 'left', groups: ['millers', 'staff'], active: false },
    { id: 'named', groups: ['staff'] },
  ]
  const people = directoryOf(all)
  const levels = [level(anyOf([], ['staff']), 'space'), level(anyOf(['named', 'gone'], ['millers']))]
  const { ids, reason } = await readersOf(people, levels)
  assert.deepEqual([ids.length, reason], [61, null])
  assert.ok(
    ids.includes('named') && !ids.includes('outside') && !ids.includes('left') && !ids.includes('gone'),
  )
  assert.deepEqual(people.asked, [], 'one request for each person would take too long')
})

test('it lists no one whom a later answer calls a guest or inactive', async () => {
  const all = [...many(60, ['millers', 'staff']), { id: 'guest', groups: ['millers', 'staff'] }]
  const people = directoryOf([...all, { id: 'left', groups: ['millers', 'staff'] }])
  const load = people.directory!.bind(people)
  people.directory = async (ids, within) => {
    const loaded = await load(ids, within)
    if (!ids.groups.includes('staff')) return { ...loaded, inClass: (user) => known(loaded, user) }
    return {
      ...loaded,
      isActive: (user) => user !== 'left' && loaded.isActive(user),
      isIgnored: (user) => user === 'left',
      inClass: (user) => (user === 'guest' ? false : known(loaded, user)),
    }
  }
  const known = ({ isActive }: { isActive(user: string): boolean }, user: string) =>
    isActive(user) ? true : undefined
  const levels = [level(anyOf([], ['staff'], [LICENSED]), 'space'), level(anyOf([], ['millers']))]
  const licensed = level(anyOf([], [], [LICENSED]), 'ancestor')
  const { ids } = await readersOf(people, [...levels, licensed])
  assert.deepEqual([ids.length, ids.includes('guest'), ids.includes('left')], [60, false, false])
})

test('it lists no one through a group that cannot be read, and says so', async () => {
  const all = [...many(60, ['millers']), { id: 'named', groups: ['staff'] }]
  const people = directoryOf(all, ['staff'])
  const { ids, reason } = await readersOf(people, [
    level(anyOf([], ['staff', 'millers']), 'space'),
    level(anyOf(['named'], ['millers'])),
  ])
  assert.equal(ids.length, 60)
  assert.match(reason ?? '', /group staff could not be read/)
  const { ids: none, reason: why } = await readersOf(directoryOf(all, ['staff']), [
    level(anyOf([], ['staff'])),
  ])
  assert.deepEqual([none, why], [[], 'the members of group staff could not be read'])
})

test('it finds the class that passes every level, and the level that names everyone else', () => {
  const open = level(anyOf([], [], ['anonymous-users']), 'space')
  const signedIn = level(anyOf([], [], ['authenticated-users']), 'ancestor')
  const licensed = level(anyOf([], ['guests'], [LICENSED]), 'page')
  assert.equal(commonClass([open]), 'anonymous-users')
  assert.equal(commonClass([open, signedIn]), 'authenticated-users')
  assert.equal(commonClass([open, signedIn, licensed]), LICENSED)
  assert.equal(commonClass([open, level(anyOf(['ann']))]), null)
  assert.equal(commonClass([]), null)
  assert.equal(narrowestLevel([open, signedIn, licensed], LICENSED), licensed)
  assert.equal(narrowestLevel([open, signedIn], 'authenticated-users'), signedIn)
})
