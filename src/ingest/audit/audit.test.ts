import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Destination, StoredElement } from '../../connectors/destination.ts'
import { grantingClauses, grantingEntry, usersNamed, writtenForms } from './granting.ts'
import { drawPairs } from './pairs.ts'
import { sampleDocuments } from './sample.ts'

const { signal } = new AbortController()
const ann = {
  ...{ id: 'ann', user: 'ann', groups: ['millers'], classes: ['anonymous-users'] },
  tokens: ['user:ann', 'group:millers', 'class:anonymous-users'],
}

test('it samples whole documents, the same for the same seed in any order', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => `wiki/${index}`)
  const sample = (seed: number, order: string[], scopeKeys: string[] = []) =>
    sampleDocuments(
      inventoryOf(order),
      { maxDocuments: 20, seed, scopeKeys, isOurs: (id) => id.startsWith('wiki/') },
      signal,
    )
  const first = await sample(1, ids)
  assert.equal(first.documents.length, 20)
  assert.ok(first.documents.every(({ elementIds }) => elementIds.length === 2))
  const reversed = await sample(1, ids.toReversed())
  assert.deepEqual(
    reversed.documents.map(({ recordId }) => recordId),
    first.documents.map(({ recordId }) => recordId),
  )
  assert.notDeepEqual(await sample(2, ids), first)
  const mixed = await sample(1, ['wiki/1', 'other/1', ''], ['A'])
  assert.deepEqual([mixed.documents.length, mixed.foreign], [1, 2])
  assert.equal((await sample(1, ids, ['B'])).documents.length, 0)
})

const clauses: [access: object | undefined, granted: boolean][] = [
  [{ c0: ['group:millers'] }, true],
  [{ c0: ['group:millers'], c1: ['user:bob'] }, false],
  [{ c0: ['group:millers'], c1: ['user:ann'], c7: ['class:anonymous-users'] }, true],
  [{ c0: ['group:millers'], c7: ['nobody'] }, false],
  [{ c1: ['user:ann'] }, false],
  [{ c0: [] }, false],
  [{}, false],
  [undefined, false],
]
for (const [access, granted] of clauses) {
  test(`it finds that ${JSON.stringify(access)} ${granted ? 'lets' : 'does not let'} a person read`, () => {
    const [form] = writtenForms([element('1', { access })])
    assert.equal(grantingClauses(form!, ann) !== null, granted)
  })
}

test('it groups elements of a document by their permissions, and lists the named users', () => {
  const open = { access: { c0: ['group:millers', 'user:eve'] }, permissions_data: listsFor(['ann'], []) }
  const closed = { access: { c0: ['user:bob'] }, permissions_data: listsFor([], ['millers']) }
  const forms = writtenForms([element('1', open), element('2', closed), element('3', open)])
  assert.deepEqual(
    forms.map(({ elementIds }) => elementIds),
    [['1', '3'], ['2']],
  )
  assert.deepEqual(forms.map(usersNamed), [['ann', 'eve'], ['bob']])
  assert.deepEqual(
    forms.map((form) => [grantingEntry(form, ann, 'read'), grantingEntry(form, ann, 'delete')]),
    [
      ['user ann', null],
      ['group millers', null],
    ],
  )
})

test('it ignores grants to the id of an inactive account', () => {
  const [form] = writtenForms([element('1', { permissions_data: listsFor(['ann'], []) })])
  const inactive = { id: 'ann', groups: [], classes: [], tokens: [] }
  assert.equal(grantingEntry(form!, inactive, 'read'), null)
})

test('it draws all pairs if there are few, otherwise half of them with restricted documents', () => {
  const documents = Array.from({ length: 100 }, (_, index) => ({
    ...{ recordId: `wiki/${index}`, isRestricted: index < 5, named: index < 5 ? ['ann'] : [] },
  }))
  const people = ['ann', 'bob', 'eve']
  assert.equal(drawPairs(documents, people, { sample: 300, seed: 1 }).length, 300)
  const drawn = drawPairs(documents, people, { sample: 20, seed: 1 })
  assert.equal(drawn.length, 20)
  assert.ok(drawn.filter(({ document }) => document.isRestricted).length >= 7)
  assert.deepEqual(drawn, drawPairs(documents, people, { sample: 20, seed: 1 }))
  assert.notDeepEqual(drawn, drawPairs(documents, people, { sample: 20, seed: 2 }))
})

function element(elementId: string, dataSource: Record<string, unknown>): StoredElement {
  return { recordId: 'wiki/1', elementId, fence: null, dataSource }
}

function listsFor(users: string[], groups: string[]): object[] {
  const none = { users: [], groups: [] }
  return [{ read: { users, groups } }, { update: none }, { delete: none }]
}

/** Two elements of each document, on different pages of the inventory. */
function inventoryOf(recordIds: string[]): Destination {
  async function* inventory() {
    for (const elementId of ['1', '2'])
      yield recordIds.map((recordId) => ({ recordId, elementId, scopeKey: 'A' }))
  }
  // The code under test uses only `inspect`.
  return { inspect: { inventory } } as unknown as Destination
}
