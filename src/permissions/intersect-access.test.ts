import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessWith, document } from '../../test/world/stored-levels.ts'
import { matchClauses } from './algebra.ts'
import { intersectAccess } from './intersect-access.ts'
import { type Access, levelChain, NO_ACCESS, readAccess, restrictedLevels, storeAccess } from './levels.ts'

describe('what two accesses have in common', () => {
  const NAMES = ['user:ann', 'user:bo', 'group:g', 'class:w/all']
  const some = () => NAMES.filter(() => Math.random() < 0.5)
  const random = (count: number): Access => {
    const who = Array.from({ length: count }, (_, at) => [`c${at}`, some()])
    return { ...accessWith(count - 1), clauses: Object.fromEntries(who) }
  }
  const admits = (access: Access, tokens: Set<string>) =>
    matchClauses(readAccess(storeAccess(access)).clauses, tokens) !== null

  for (const count of [1, 2, 4, 7, 8])
    test(`they are readers of both, with ${count} levels`, () => {
      for (let round = 0; round < 300; round++) {
        const [a, b, person] = [random(count), random(count), new Set(some())]
        const common = readAccess(intersectAccess(storeAccess(a), storeAccess(b)))
        const isReader = matchClauses(common.clauses, person) !== null
        const expected = admits(a, person) && admits(b, person)
        // Eight levels leave no room, and readers by different entries are left out.
        if (count <= 4 || isReader) assert.equal(isReader, expected, JSON.stringify([a, b, [...person]]))
      }
    })

  test('they are readers of three after another change', () => {
    for (let round = 0; round < 300; round++) {
      const [a, b, c, person] = [random(2), random(2), random(2), new Set(some())]
      const common = intersectAccess(intersectAccess(storeAccess(a), storeAccess(b)), storeAccess(c))
      const isReader = matchClauses(readAccess(common).clauses, person) !== null
      assert.equal(
        isReader,
        [a, b, c].every((each) => admits(each, person)),
      )
    }
  })

  test('they have to pass levels that only one of both has', () => {
    const [two, three] = [accessWith(1), accessWith(2)]
    for (const [a, b] of [
      [two, three],
      [three, two],
    ] as const) {
      const { levels } = intersectAccess(storeAccess(a), storeAccess(b))
      assert.deepEqual(levels, storeAccess(three).levels)
    }
  })

  test('they are none if one admits no one, or a row is damaged', () => {
    const whole = storeAccess(accessWith(1))
    const damaged = [
      { ...whole, levels: null },
      { ...whole, levels: [{ ...whole.levels[0], who: 'user:ann' }] },
      { ...whole, permissions: null },
      { ...whole, permissions: [{ read: { users: [] } }] },
    ] as never[]
    for (const other of [storeAccess(NO_ACCESS), ...damaged])
      for (const common of [intersectAccess(whole, other), intersectAccess(other, whole)])
        for (const tokens of [[], ['user:ann']])
          assert.equal(matchClauses(readAccess(common).clauses, new Set(tokens)), null)
  })

  test('the flat form keeps entries of both', () => {
    const flat = (users: string[], access_classes: string[] = []) => ({
      ...storeAccess(accessWith(0)),
      permissions: [
        { read: { users, groups: ['g'], ...(access_classes.length > 0 ? { access_classes } : {}) } },
        ...NO_ACCESS.permissions.slice(1),
      ] as Access['permissions'],
    })
    const read = (a: ReturnType<typeof flat>, b: ReturnType<typeof flat>) =>
      intersectAccess(a, b).permissions[0].read
    assert.deepEqual(read(flat(['ann', 'bo']), flat(['bo', 'cy'])), { users: ['bo'], groups: ['g'] })
    assert.deepEqual(read(flat(['ann']), flat([], ['all-licensed-users'])), { users: [], groups: ['g'] })
    assert.deepEqual(read(flat(['ann']), flat([], ['anonymous-users'])), { users: ['ann'], groups: ['g'] })
    assert.deepEqual(read(flat([], ['all-licensed-users']), flat(['ann'])), { users: [], groups: ['g'] })
    const open = { users: [], groups: ['g'], access_classes: ['all-licensed-users'] }
    assert.deepEqual(read(flat([], ['all-licensed-users']), flat([], ['authenticated-users'])), open)
  })

  test('a level that has two lists is shown with its name twice, and once in the chain', () => {
    const before = accessWith(2)
    const after = { ...before, clauses: { ...before.clauses, c0: ['user:cy'] } }
    const { levels } = intersectAccess(storeAccess(before), storeAccess(after))
    const shown = restrictedLevels(levels, document).map(({ level, id }) => `${level} ${id}`)
    assert.deepEqual(shown, ['space MILL', 'space MILL', 'ancestor 1', 'page 2'])
    const chain = levelChain(levels, document).map(({ level, id }) => `${level} ${id}`)
    assert.deepEqual(chain, ['space MILL', 'ancestor 5', 'ancestor 1', 'page 2'])
  })
})
