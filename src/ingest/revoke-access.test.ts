import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY_ACCESS } from '../access.ts'
import type { AccessItem, Destination } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { HIDDEN } from './data-source.ts'
import { revokeAccess } from './revoke-access.ts'

const { signal } = new AbortController()

test('a hidden document that was shown again from outside is hidden again', async () => {
  const index = indexOf([entry({ stateHash: HIDDEN, settled: false })])
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody', f: 'nobody' })
  const hidden = indexOf([entry({ stateHash: HIDDEN })])
  await hidden.hide()
  assert.deepEqual(hidden.access, { e: 'all', f: 'all' }, 'no needless write')
})

test('elements that refuse to be hidden leave the index', async () => {
  const index = indexOf([entry()], { refusing: ['f'] })
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody' })
  assert.deepEqual(
    [index.ledger.get('w/1')?.settled, index.ledger.get('w/1')?.elementIds],
    [false, ['e', 'f']],
  )
})

test('an element that is not there keeps no other from being hidden', async () => {
  const index = indexOf([entry()], { missing: ['f'] })
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody' })
  assert.equal(index.ledger.get('w/1')?.settled, false)
})

test('without inspect it hides each element by itself, and removes what cannot be hidden', async () => {
  const gaps = indexOf([entry()], { missing: ['f'], blind: true })
  await gaps.hide()
  assert.deepEqual(gaps.access, { e: 'nobody' })
  assert.equal(gaps.ledger.get('w/1')?.settled, false)
  const refusing = indexOf([entry()], { refusing: ['e'], blind: true })
  await refusing.hide()
  assert.deepEqual(refusing.access, { f: 'nobody' })
})

/** An index with the elements of the entries, found by all. */
function indexOf(
  entries: Entry[],
  { refusing = [] as string[], missing = [] as string[], blind = false } = {},
) {
  const ledger = new Map(entries.map((each) => [each.recordId, each]))
  const ids = entries.flatMap(({ elementIds }) => elementIds).filter((id) => !missing.includes(id))
  const access: Record<string, string> = Object.fromEntries(ids.map((id) => [id, 'all']))
  const put = async (given: Entry[]) => given.forEach((each) => void ledger.set(each.recordId, each))
  const held = async (elements: { recordId: string; elementIds: string[] }[]) =>
    elements.flatMap(({ recordId, elementIds }) =>
      elementIds.filter((id) => id in access).map((elementId) => ({ recordId, elementId })),
    )
  const destination = {
    updateAccess: async (items: AccessItem[]) =>
      items.flatMap(({ recordId, elementIds, dataSource }) =>
        elementIds.flatMap((elementId) => {
          const error = new AppError('destination_rejected', 'refused')
          if (!(elementId in access) || refusing.includes(elementId)) return [{ recordId, elementId, error }]
          assert.deepEqual(dataSource.access, NOBODY_ACCESS.clauses)
          access[elementId] = 'nobody'
          return []
        }),
      ),
    ...(blind ? {} : { inspect: { held } }),
    remove: async (elements: { elementIds: string[] }[]) => {
      for (const { elementIds } of elements) for (const id of elementIds) delete access[id]
    },
  } as unknown as Destination
  const own = { fence: 1, find: async () => ledger, intend: put, settle: put, forget: async () => {} }
  return { access, ledger, hide: () => revokeAccess(entries, { ledger: own, destination }, signal) }
}

function entry(given: Partial<Entry> = {}): Entry {
  return {
    ...{ recordId: 'w/1', scope: 'A', position: '1', locator: {}, version: '1', stateHash: 'shown' },
    ...{ settingsHash: 'settings', elementIds: ['e', 'f'], settled: true, ownText: true as const },
    ...given,
  }
}
