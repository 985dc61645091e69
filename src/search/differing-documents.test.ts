import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differingDocuments } from './differing-documents.ts'

const person = (found: string[], also: string[] = []) => ({
  found: new Map(found.map((id) => [id, `${id}-1`])),
  findsAlso: async (documents: ReadonlyMap<string, string>) =>
    new Set(also.filter((id) => documents.get(id) === `${id}-1`)),
})

test('it returns what not everyone finds', async () => {
  const differing = await differingDocuments([person(['a', 'b']), person(['b', 'c']), person(['b'])])
  assert.deepEqual([...differing].sort(), ['a', 'c'])
})

test('it returns nothing for one person', async () => {
  assert.equal((await differingDocuments([person(['a'])])).size, 0)
})

test('it leaves out documents that a ranking did not reach but the person can find', async () => {
  const differing = await differingDocuments([person(['a'], ['b']), person(['a', 'b', 'c'])])
  assert.deepEqual([...differing], ['c'])
})
