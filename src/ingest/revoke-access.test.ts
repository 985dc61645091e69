import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination } from '../connectors/destination.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { HIDDEN_STATE } from './data-source.ts'
import { revokeAccess } from './revoke-access.ts'

const { signal } = new AbortController()

test('it hides a document again that another program made visible', async () => {
  const index = indexOf([entry({ stateHash: HIDDEN_STATE, settled: false })])
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody', f: 'nobody' })
  const hidden = indexOf([entry({ stateHash: HIDDEN_STATE })])
  await hidden.hide()
  assert.deepEqual(hidden.access, { e: 'all', f: 'all' }, 'no unnecessary write')
})

test('it removes elements that cannot be hidden', async () => {
  const index = indexOf([entry()], { rejected: ['f'] })
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody' })
  assert.deepEqual(
    [index.ledger.get('w/1')?.settled, index.ledger.get('w/1')?.elementIds],
    [false, ['e', 'f']],
  )
})

test('it hides the other elements if one is missing', async () => {
  const index = indexOf([entry()], { missing: ['f'] })
  await index.hide()
  assert.deepEqual(index.access, { e: 'nobody' })
  assert.equal(index.ledger.get('w/1')?.settled, false)
})

test('it hides elements one by one without inspect, and removes those it cannot hide', async () => {
  const gaps = indexOf([entry()], { missing: ['f'], withoutInspect: true })
  await gaps.hide()
  assert.deepEqual(gaps.access, { e: 'nobody' })
  assert.equal(gaps.ledger.get('w/1')?.settled, false)
  const refusing = indexOf([entry()], { rejected: ['e'], withoutInspect: true })
  await refusing.hide()
  assert.deepEqual(refusing.access, { f: 'nobody' })
})

/** An index with the elements of the entries, visible to everyone. */
function indexOf(
  entries: Entry[],
  { rejected = [] as string[], missing = [] as string[], withoutInspect = false } = {},
) {
  const ledger = new Map(entries.map((each) => [each.recordId, each]))
  const ids = entries.flatMap(({ elementIds }) => elementIds).filter((id) => !missing.includes(id))
  const access: Record<string, string> = Object.fromEntries(ids.map((id) => [id, 'all']))
  const put = async (given: Entry[]) => given.forEach((each) => void ledger.set(each.recordId, each))
  const stored = async (elements: { recordId: string; elementIds: string[] }[]) =>
    elements.flatMap(({ recordId, elementIds }) =>
      elementIds.filter((id) => id in access).map((elementId) => ({ recordId, elementId })),
    )
  const destination = {
    updateAccess: async (items: AccessItem[]) =>
      items.flatMap(({ recordId, elementIds, dataSource }) =>
        elementIds.flatMap((elementId) => {
          const error = new AppError('destination_rejected', 'refused')
          if (!(elementId in access) || rejected.includes(elementId)) return [{ recordId, elementId, error }]
          assert.deepEqual(dataSource.access, NO_ACCESS.clauses)
          access[elementId] = 'nobody'
          return []
        }),
      ),
    ...(withoutInspect ? {} : { inspect: { stored } }),
    remove: async (elements: { elementIds: string[] }[]) => {
      for (const { elementIds } of elements) for (const id of elementIds) delete access[id]
    },
  } as unknown as Destination
  const own = {
    fence: 1,
    find: async () => ledger,
    intend: put,
    settle: async (given: Entry[]) => {
      await put(given)
      return []
    },
    forget: async () => {},
  }
  return { access, ledger, hide: () => revokeAccess(entries, { ledger: own, destination }, signal) }
}

function entry(given: Partial<Entry> = {}): Entry {
  return {
    ...{ recordId: 'w/1', scope: 'A', position: '1', locator: {}, version: '1', stateHash: 'shown' },
    ...{ settingsHash: 'settings', elementIds: ['e', 'f'], settled: true },
    ...given,
  }
}
