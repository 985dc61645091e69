import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredLevel } from '../../../permissions/levels.ts'
import { permissionChanges } from './permission-changes.ts'

const page = {
  recordId: 'wiki.example/3',
  title: 'Gate plans',
  scope: 'MILL',
  scopeName: 'The mill',
  ancestors: [{ id: '2', title: 'Plans' }],
}
type Version = { levels: StoredLevel[] }
/** The scope, then pages by id; an id that is null is not named. */
const version = (scope: string[], ...pages: [string | null, string[]][]): Version => ({
  levels: [
    { kind: 'space', id: '7', title: 'The mill', who: scope },
    ...pages.map(([id, who]) => ({ kind: 'page', id, title: id && `Page ${id}`, who })),
  ],
})
const open = version(['class:anonymous-users'])
const changed = (from: Version, to: Version) =>
  permissionChanges(page, { from, to }).map(({ level, title, added, removed, restriction }) => [
    ...[level, title, restriction, added.users, removed.users],
  ])

test('it names the level that begins to restrict', () => {
  const to = version(['class:anonymous-users'], ['2', ['user:ann']])
  assert.deepEqual(changed(open, to), [['ancestor', 'Plans', 'added', ['ann'], []]])
  assert.deepEqual(changed(to, open), [['ancestor', 'Plans', 'removed', [], ['ann']]])
})

test('it keeps levels apart whose place in the chain changes', () => {
  const from = version(['user:ann'], ['3', ['user:ben']])
  const to = version(['user:ann'], ['2', ['user:ann']], ['3', ['user:ben', 'user:eve']])
  assert.deepEqual(changed(from, to), [
    ['ancestor', 'Plans', 'added', ['ann'], []],
    ['page', 'Gate plans', 'changed', ['eve'], []],
  ])
})

test('it tells a hidden document from one that lost its readers', () => {
  const hidden = { levels: [] }
  assert.deepEqual(changed(open, hidden), [['page', 'Gate plans', 'hidden', [], []]])
  assert.deepEqual(changed(hidden, open), [['page', 'Gate plans', 'shown', [], []]])
  assert.deepEqual(changed(hidden, hidden), [])
})

test('it keeps the title of a level that is no ancestor any more', () => {
  const from = version(['user:ann'], ['9', ['user:ben']])
  const to = version(['user:ann'])
  assert.deepEqual(changed(from, to), [['ancestor', 'Page 9', 'removed', [], ['ben']]])
})

test('it counts principals that it does not name', () => {
  const users = Array.from({ length: 300 }, (_, at) => `user:${at}`)
  const [space] = permissionChanges(page, { from: open, to: version(users) })
  assert.deepEqual([space?.added.users.length, space?.added.more], [200, 100])
  assert.deepEqual(space?.removed.classes, ['anonymous-users'])
})

test('it names the document where a source does not name its levels', () => {
  const from = version(['user:ann'], [null, ['user:ben']])
  const to = version(['user:ann'], [null, ['user:eve']])
  assert.deepEqual(changed(from, to), [['page', 'Gate plans', 'changed', ['eve'], ['ben']]])
})
