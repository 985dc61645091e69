import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessWith, document } from '../../test/world/stored-levels.ts'
import { levelChain, NO_ACCESS, readAccess, restrictedLevels, storeAccess } from './levels.ts'
import { NO_ONE_TOKEN } from './principals.ts'

describe('stored levels', () => {
  for (const count of [0, 1, 2, 7, 8, 12])
    test(`they give back the clauses of ${count} restricted pages`, () => {
      const access = accessWith(count)
      const stored = storeAccess(access)
      assert.deepEqual(readAccess(stored).clauses, access.clauses)
      assert.deepEqual(
        stored.levels.map(({ kind, id, title }) => ({ kind, id, title })),
        access.levels,
      )
    })

  test('they grant no access without a first clause', () => {
    for (const clauses of [{}, { c1: ['user:ann'] }] as Record<string, string[]>[])
      assert.deepEqual(readAccess(storeAccess({ ...NO_ACCESS, clauses })).clauses, {})
  })

  test('they keep every clause of a source that does not name them, or names another number', () => {
    const { clauses, levels = [], set } = accessWith(2)
    for (const names of [[], levels.slice(0, 2), [...levels, ...levels]]) {
      const stored = storeAccess({ ...NO_ACCESS, clauses, levels: names, ...(set ? { set } : {}) })
      assert.deepEqual(readAccess(stored).clauses, clauses)
      assert.ok(stored.levels.every(({ id }) => id === null))
    }
  })
})

test('rows that are damaged grant no access', () => {
  const { permissions, levels } = storeAccess(accessWith(2))
  const damaged = (who: unknown) => {
    const [first, second, ...rest] = levels
    const stored = [first, { ...second, who }, ...rest] as typeof levels
    return readAccess({ permissions, levels: stored }).clauses.c1
  }
  for (const who of [null, undefined, []]) assert.deepEqual(damaged(who), [NO_ONE_TOKEN])
  assert.deepEqual(readAccess({ permissions } as never), NO_ACCESS)
})

test('levels of documents without a set, which may share a row, have no names', () => {
  const { set: _, ...access } = accessWith(1)
  assert.ok(storeAccess(access).levels.every(({ id }) => id === null))
})

describe('the levels of a document', () => {
  test('they have the current titles of the document', () => {
    const { levels } = storeAccess(accessWith(2))
    assert.deepEqual(
      restrictedLevels(levels, document).map(({ level, id, title }) => [level, id, title]),
      [
        ['space', 'MILL', 'The mill'],
        ['ancestor', '1', 'Plans'],
        ['page', '2', 'Gate plans'],
      ],
    )
  })

  test('they have the stored title of a level that is no ancestor', () => {
    const { levels } = storeAccess(accessWith(1))
    const [, only] = restrictedLevels(levels, { ...document, ancestors: [] })
    assert.deepEqual([only?.level, only?.id, only?.title], ['ancestor', '1', 'Title 1'])
  })

  test('they leave levels that share a clause without a name', () => {
    const shown = restrictedLevels(storeAccess(accessWith(9)).levels, document)
    assert.deepEqual(
      shown.map(({ id }) => id),
      ['MILL', '1', '2', '3', '4', '5', '6', null],
    )
    assert.deepEqual(shown.at(-1)?.who, ['user:ann'])
  })

  test('they say which levels are restricted, those of a shared clause included', () => {
    const chain = (count: number) =>
      levelChain(storeAccess(accessWith(count)).levels, document).map(({ id, isRestricted }) => [
        id,
        isRestricted,
      ])
    assert.deepEqual(chain(1), [
      ['MILL', true],
      ['5', false],
      ['1', true],
      ['2', false],
    ])
    assert.ok(chain(9).every(([, isRestricted]) => isRestricted))
    assert.equal(chain(9).length, 10)
  })
})
