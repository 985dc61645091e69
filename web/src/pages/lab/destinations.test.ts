import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenDestination } from './destinations.ts'

const of = (id: string, last_written_at: string | null) => ({
  id,
  name: id,
  sandbox: false,
  last_written_at,
})

test('it prefers the destination of the address, then the one written last', () => {
  const all = [of('a', null), of('b', '2026-05-01T00:00:00.000Z'), of('c', '2026-06-01T00:00:00.000Z')]
  assert.equal(chosenDestination(all, 'a')?.id, 'a')
  assert.equal(chosenDestination(all, undefined)?.id, 'c')
  assert.equal(chosenDestination(all, 'gone')?.id, 'c')
  assert.equal(chosenDestination([], undefined), undefined)
})
