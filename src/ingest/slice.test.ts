import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination, Source } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { defaultNodes, plan } from '../pipeline/nodes.ts'
import { stateHash } from './data-source.ts'
import { type Outcome, workSlice } from './slice.ts'

const { signal } = new AbortController()

test('where the embedder fails, what is in the index of a page still gets the rights of now', async () => {
  const before = entry(ref('class:all-licensed-users'))
  const now = ref('user:ann')
  const carried: AccessItem[] = []
  const noted: string[] = []
  const reported: Outcome[] = []
  await workSlice(
    [{ ref: now, kind: 'changed' }],
    {
      // Only what a slice asks of each is here.
      source: {
        async *read(refs: DocumentRef[]) {
          for (const each of refs)
            yield {
              ref: each,
              document: { ref: each, version: each.version, filetype: 'text/html', body: '<p>new</p>' },
            }
        },
      } as unknown as Source,
      destination: {
        updateAccess: async (items: AccessItem[]) => {
          carried.push(...items)
          noted.push('carried')
          return []
        },
      } as unknown as Destination,
      ledger: {
        fence: 1,
        find: async () => new Map([[before.recordId, before]]),
        intend: async () => void noted.push('intended'),
        settle: async ([settled]) => void noted.push(`settled at ${settled?.version}`),
        forget: async () => {},
      },
      plan: plan(defaultNodes()),
      settingsHash: 'settings',
      embedder: {
        dims: 384,
        embed: () => Promise.reject(new AppError('embedder_failed', 'the model broke')),
      },
      beforeWrite: async () => {},
      report: async (outcomes) => void reported.push(...outcomes),
    },
    signal,
  )
  assert.deepEqual(
    carried.map((item) => item.dataSource.access),
    [{ c0: ['user:ann'] }],
  )
  // Noted before it is carried, and settled as the old version it still is.
  assert.deepEqual(noted, ['intended', 'carried', 'settled at 1'])
  assert.deepEqual(
    reported.map(({ state }) => state),
    ['failed'],
  )
})

function ref(clause: string): DocumentRef {
  const none = { users: [], groups: [] }
  return {
    recordId: 'w/1',
    scope: 'A',
    position: '1',
    version: '2',
    title: 'Page',
    url: 'https://wiki.example/1',
    locator: {},
    filename: '1.html',
    createdAt: null,
    modifiedAt: null,
    author: null,
    space: { key: 'A', name: 'A' },
    labels: [],
    ancestors: [],
    access: { permissions: [{ read: none }, { update: none }, { delete: none }], clauses: { c0: [clause] } },
  }
}

function entry(of: DocumentRef): Entry {
  const { recordId, scope, position, locator } = of
  return {
    recordId,
    scope,
    position,
    locator,
    version: '1',
    stateHash: stateHash(of),
    settingsHash: 'settings',
    elementIds: ['e'],
    settled: true,
  }
}
