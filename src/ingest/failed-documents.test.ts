import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination, Rejection, WriteItem } from '../connectors/destination.ts'
import type { Source } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { defaultNodes, plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { HIDDEN_STATE, stateHash } from './data-source.ts'
import { giveUpSlice, processSlice } from './slice.ts'
import type { DocumentOutcome, DocumentTask, SliceContext } from './slice-context.ts'

/** A document that fails gets the listed permissions, or is hidden. */

const { signal } = new AbortController()
const NOW = ['user:ann']
const BEFORE = ['class:all-licensed-users']

const failures: [what: string, Scene][] = [
  ['cannot be read', { unreadable: true }],
  ['cannot be embedded', { unembeddable: true }],
  ['is rejected by the index', { rejectsText: true }],
]

for (const [what, scene] of failures) {
  test(`it writes current permissions to a document that ${what}`, async () => {
    const { access, reported } = await work(scene)
    assert.deepEqual([access.get('e'), reported], [NOW, ['failed']])
  })

  test(`it hides a document that ${what} if the index rejects its permissions`, async () => {
    const { access, ledger } = await work({ ...scene, rejectsAccess: true })
    assert.ok(isNoOne(access.get('e')), String(access.get('e')))
    assert.equal(ledger.get('w/1')?.settled, false)
  })
}

test('it gives a failed document the permissions of its listing, or hides it if they are old', async () => {
  const error = { code: 'source_misread', message: 'it kept changing' }
  const fresh = await giveUp({ ref: ref(NOW), kind: 'changed', expiresAt: new Date(Date.now() + 600_000) })
  assert.deepEqual([fresh.access.get('e'), fresh.reported], [NOW, ['failed']])
  const late = await giveUp({ ref: ref(NOW), kind: 'changed', expiresAt: new Date(Date.now() - 1000) })
  assert.ok(isNoOne(late.access.get('e')))
  assert.equal(late.ledger.get('w/1')?.stateHash, HIDDEN_STATE)

  async function giveUp(task: DocumentTask) {
    const setup = setUp({})
    await giveUpSlice({ tasks: [task], uncertain: [] }, { context: setup.context, error }, signal)
    return setup
  }
})

type Scene = {
  unreadable?: boolean
  unembeddable?: boolean
  rejectsText?: boolean
  /** Except updates that hide. */
  rejectsAccess?: boolean
}

async function work(scene: Scene) {
  const setup = setUp(scene)
  await processSlice([{ ref: ref(NOW), kind: 'changed' }], setup.context, signal)
  return setup
}

/** An index with one element of a document, and its ledger. */
function setUp(scene: Scene) {
  const before = entry()
  const ledger = new Map([[before.recordId, before]])
  const access = new Map<string, string[] | undefined>([['e', BEFORE]])
  const reported: string[] = []
  const put = async (entries: Entry[]) => entries.forEach((each) => void ledger.set(each.recordId, each))
  const clauseOf = ({ dataSource }: { dataSource: Record<string, unknown> }) =>
    (dataSource.access as { c0: string[] }).c0
  const rejected = (elementId: string): Rejection => ({
    recordId: 'w/1',
    elementId,
    kind: access.has(elementId) ? 'refused' : 'missing',
    error: new AppError('destination_rejected', 'refused'),
  })
  const context: SliceContext = {
    source: {
      async *read(refs: DocumentRef[]) {
        for (const each of refs)
          yield scene.unreadable
            ? { ref: each, error: new AppError('source_failed', 'no answer') }
            : { ref: each, document: { ref: each, version: '2', filetype: 'text/html', body: '<p>new</p>' } }
      },
    } as unknown as Source,
    destination: {
      write: async (items: WriteItem[]) => {
        if (scene.rejectsText) return items.map(({ element }) => rejected(element.element_id))
        for (const item of items) access.set(item.element.element_id, clauseOf(item))
        return []
      },
      updateAccess: async (items: AccessItem[]) => {
        const rejections: Rejection[] = []
        for (const item of items)
          for (const id of item.elementIds) {
            const isRejected = scene.rejectsAccess === true && !isNoOne(clauseOf(item))
            if (!access.has(id) || isRejected) rejections.push(rejected(id))
            else access.set(id, clauseOf(item))
          }
        return rejections
      },
      inspect: {
        stored: async (elements: { recordId: string; elementIds: string[] }[]) =>
          elements.flatMap(({ recordId, elementIds }) =>
            elementIds
              .filter((id) => access.has(id))
              .map((elementId) => ({ recordId, elementId, fence: 1, dataSource: {} })),
          ),
      },
      remove: async (elements: { elementIds: string[] }[]) => {
        for (const { elementIds } of elements) for (const id of elementIds) access.delete(id)
      },
    } as unknown as Destination,
    openLedger: async () => ({
      fence: 1,
      find: async () => new Map(ledger),
      intend: put,
      settle: async (given: Entry[]) => {
        await put(given)
        return []
      },
      forget: async (ids) => ids.forEach((id) => void ledger.delete(id)),
    }),
    settingsHash: 'settings',
    runner: runnerOf(plan(defaultNodes()), {
      dims: 1,
      embed: async (texts) => {
        if (scene.unembeddable) throw new AppError('embedder_failed', 'the model broke')
        return texts.map(() => [1])
      },
    }),
    wanted: async (refs) => new Map(refs.map((each) => [each.recordId, each])),
    relist: null,
    report: async (outcomes: DocumentOutcome[]) => void reported.push(...outcomes.map(({ state }) => state)),
  }
  return { context, ledger, access, reported }
}

/** Independent of the constant: a token that matches no principal of a wiki. */
function isNoOne(clause: string[] | undefined): boolean {
  return clause !== undefined && clause.length === 1 && !/^(user|group|class):/.test(clause[0] ?? '')
}

function ref(c0: string[]): DocumentRef {
  const none = { users: [], groups: [] }
  return {
    ...{ recordId: 'w/1', scope: 'A', position: '1', version: '2', title: 'Page', url: '', locator: {} },
    ...{ filename: '1.html', createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: 'A',
    access: { permissions: [{ read: none }, { update: none }, { delete: none }], clauses: { c0 } },
  }
}

function entry(): Entry {
  const { recordId, scope, position, locator } = ref(BEFORE)
  return {
    ...{ recordId, scope, position, locator, version: '1', stateHash: stateHash(ref(BEFORE)) },
    ...{ settingsHash: 'settings', elementIds: ['e'], settled: true },
  }
}
