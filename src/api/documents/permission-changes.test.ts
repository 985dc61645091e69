import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissionChanges } from './permission-changes.ts'

const page = {
  recordId: 'wiki.example/3',
  title: 'Gate plans',
  space: { key: 'MILL', name: 'The mill' },
  ancestors: [{ id: '2', title: 'Plans' }],
  position: '3',
}
const open = { key: 'w/7', clauses: { c0: ['class:anonymous-users'] } }
const changed = (from: Parameters<typeof permissionChanges>[1]['from'], to: typeof from) =>
  permissionChanges(page, { from, to }).map(({ level, title, added, removed, restriction }) => [
    ...[level, title, restriction, added.users, removed.users],
  ])

test('it names the level that begins to restrict', () => {
  const to = { key: 'w/7/2', clauses: { ...open.clauses, c1: ['user:ann'] } }
  assert.deepEqual(changed(open, to), [['ancestor', 'Plans', 'added', ['ann'], []]])
  assert.deepEqual(changed(to, open), [['ancestor', 'Plans', 'removed', [], ['ann']]])
})

test('it keeps levels apart whose place in the chain changes', () => {
  const from = { key: 'w/7/3', clauses: { c0: ['user:ann'], c1: ['user:ben'] } }
  const to = {
    key: 'w/7/2/3',
    clauses: { c0: ['user:ann'], c1: ['user:ann'], c2: ['user:ben', 'user:eve'] },
  }
  assert.deepEqual(changed(from, to), [
    ['ancestor', 'Plans', 'added', ['ann'], []],
    ['page', 'Gate plans', 'changed', ['eve'], []],
  ])
})

test('it tells a hidden document from one that lost its readers', () => {
  const hidden = { key: '', clauses: {} }
  assert.deepEqual(changed(open, hidden), [['page', 'Gate plans', 'hidden', [], []]])
  assert.deepEqual(changed(hidden, open), [['page', 'Gate plans', 'shown', [], []]])
  assert.deepEqual(changed(hidden, hidden), [])
})

test('it keeps a level without title that is no ancestor any more', () => {
  const from = { key: 'w/7/9', clauses: { c0: ['user:ann'], c1: ['user:ben'] } }
  const to = { key: 'w/7', clauses: { c0: ['user:ann'] } }
  assert.deepEqual(changed(from, to), [['ancestor', null, 'removed', [], ['ben']]])
})

test('it counts principals that it does not name', () => {
  const users = Array.from({ length: 300 }, (_, at) => `user:${at}`)
  const [space] = permissionChanges(page, { from: open, to: { key: 'w/7', clauses: { c0: users } } })
  assert.deepEqual([space?.added.users.length, space?.added.more], [200, 100])
  assert.deepEqual(space?.removed.classes, ['anonymous-users'])
})

test('it names the document where a source does not name its levels', () => {
  const from = { key: '0f3a', clauses: { c0: ['user:ann'], c1: ['user:ben'] } }
  const to = { key: '77bc', clauses: { c0: ['user:ann'], c1: ['user:eve'] } }
  assert.deepEqual(changed(from, to), [['page', 'Gate plans', 'changed', ['eve'], ['ben']]])
})
