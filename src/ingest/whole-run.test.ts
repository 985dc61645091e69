import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { AccessItem, DataSource, Destination, WriteItem } from '../connectors/destination.ts'
import type { DocumentLocation, ListingPage, Source } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { HIDDEN_STATE, stateHash } from './data-source.ts'
import { runPermissionsOnly } from './permissions-only.ts'
import { MAX_LISTINGS } from './relist-limits.ts'
import type { RunLedger } from './run-ledger.ts'
import { SLICE_SIZE } from './slice-queue.ts'
import type { Counts, DocumentFailure } from './tally.ts'
import { type RunResult, runWhole, type WholeRunOptions } from './whole-run.ts'

const { signal } = new AbortController()

test('it fails a page that changes after every listing', async () => {
  const { world, result, failures } = await runOf({
    pages: [{ id: '1' }, { id: '2', keepsChanging: true }],
  })
  assert.equal(world.listings, MAX_LISTINGS)
  assert.deepEqual(failures, ['w/2 source_misread'])
  assertAddsUp(result, { discovered: 2, new: 1, failed: 1 })
})

test('it writes the new version of a page that changes once', async () => {
  const { world, result } = await runOf({ pages: [{ id: '1', changes: 1 }] })
  assert.equal(world.listings, 2)
  assert.equal(world.ledger.get('w/1')?.version, '2')
  assertAddsUp(result, { discovered: 1, new: 1 })
})

test('it does not count a page that changes and is missing from the second listing', async () => {
  const { result } = await runOf({ pages: [{ id: '1' }, { id: '2', changes: 1, listedUntil: 1 }] })
  assertAddsUp(result, { discovered: 1, new: 1 })
})

test('it does not count a page that changes and is undecided in the second listing', async () => {
  const { result } = await runOf({ pages: [{ id: '1' }, { id: '2', changes: 1, undecidedFrom: 2 }] })
  assertAddsUp(result, { discovered: 1, new: 1 })
})

test('it fails all remaining pages if the index fails during the run', async () => {
  const { result, failures } = await runOf({
    pages: Array.from({ length: 330 }, (_, index) => ({ id: String(index) })),
    writesUntil: 2,
  })
  assert.equal(result.failure?.code, 'destination_unreachable')
  assert.equal(result.counts.new, 100)
  assert.ok(result.counts.failed >= 50)
  assertAddsUp(result)
  assert.ok(failures.every((each) => each.endsWith('destination_unreachable')))
  assert.equal(failures.length, result.counts.failed)
})

test('it processes the listed pages and removes nothing if the listing fails', async () => {
  const { world, result } = await runOf({
    pages: [{ id: '1' }, { id: '2', changes: 1 }],
    known: ['9'],
    listingFailsAt: 1,
  })
  assert.equal(result.failure?.code, 'source_unreachable')
  assert.equal(result.complete, false)
  assert.deepEqual(world.removed, [])
  assertAddsUp(result, { discovered: 2, new: 1, failed: 1 })
})

test('it removes only from completely listed scopes if the listing is incomplete', async () => {
  const scene = { pages: [{ id: '1' }], known: ['9'], neverComplete: true }
  const { world, result } = await runOf(scene)
  assert.deepEqual([result.complete, result.failure, world.removed], [false, null, ['w/9']])
  const other = await runOf({ ...scene, knownIn: 'B' })
  assert.deepEqual([other.world.removed, other.world.hidden], [[], []])
})

test('it hides pages that a listed scope lacks if the rest of the listing fails', async () => {
  const scene = { pages: [{ id: '1' }], known: ['1', '9'], failsAfterEnd: true }
  const { world, result } = await runOf(scene)
  assert.equal(result.failure?.code, 'source_unreachable')
  assert.deepEqual([world.hidden, world.ledger.has('w/9')], [['w/9'], true])
  const other = await runOf({ ...scene, known: ['9'], knownIn: 'B' })
  assert.deepEqual(other.world.hidden, [], 'the other scope was not listed')
})

test('it hides pages that a listed scope lacks if the listing of permissions fails later', async () => {
  const scene = { pages: [{ id: '1' }], known: ['1', '9'], failsAfterEnd: true }
  const world = worldOf(scene)
  const { failure } = await runPermissionsOnly(optionsOf(world, scene), signal)
  assert.deepEqual([failure?.code, world.ledger.get('w/9')?.stateHash], ['source_unreachable', HIDDEN_STATE])
  assert.deepEqual(world.access.get('w/1'), ['user:ann'])
})

test('it hides missing pages before it lists others again', async () => {
  const { world } = await runOf({ pages: [{ id: '1' }, { id: '2', changes: 1 }], known: ['9'] })
  assert.deepEqual([world.listings, world.hiddenAt], [2, [[], ['w/9']]])
  assert.deepEqual(world.removed, ['w/9'])
})

test('it gives a page that keeps changing the permissions of its last listing', async () => {
  const scene = { pages: [{ id: '1', keepsChanging: true }], known: ['1'] }
  const { world, failures } = await runOf(scene)
  assert.deepEqual(failures, ['w/1 source_misread'])
  assert.deepEqual(world.access.get('w/1'), ['user:ann'])
})

test('it gives pages of a failed slice the permissions of their listing', async () => {
  const { world } = await runOf({ pages: [{ id: '1', bug: true }, { id: '2' }], known: ['1', '2'] })
  assert.deepEqual(
    [...world.access],
    [
      ['w/1', ['user:ann']],
      ['w/2', ['user:ann']],
    ],
  )
})

test('it counts the removals before the index failed', async () => {
  const known = Array.from({ length: 1200 }, (_, index) => `gone-${index}`)
  const { result } = await runOf({ pages: [{ id: '1' }], known, approved: true, removesUntil: 2 })
  assert.equal(result.failure?.code, 'destination_unreachable')
  assert.equal(result.counts.removed, 1000)
})

test('it fails the pages of a slice after an unexpected error, and shows the error', async () => {
  const { result, messages } = await runOf({ pages: [{ id: '1', bug: true }, { id: '2' }] })
  assertAddsUp(result, { discovered: 2, failed: 2 })
  assert.match(messages[0] ?? '', /TypeError: no such thing/)
})

test('it holds back removals above the guard until they are approved', async () => {
  const known = Array.from({ length: 40 }, (_, index) => `gone-${index}`)
  const held = await runOf({ pages: [{ id: '1' }], known })
  assert.deepEqual([held.result.heldBack, held.world.removed.length], [40, 0])
  const approved = await runOf({ pages: [{ id: '1' }], known, approved: true })
  assert.deepEqual([approved.result.heldBack, approved.world.removed.length], [0, 40])
})

test('it lists a missing page again, and hides it if it is missing once more', async () => {
  const found = await runOf({ pages: [{ id: '1' }, { id: '2', listedFrom: 2 }], known: ['2'] })
  assertAddsUp(found.result, { discovered: 2, new: 1, changed: 1 })
  const missed = await runOf({ pages: [{ id: '1' }, { id: '2', listedFrom: 9 }], known: ['2'] })
  assertAddsUp(missed.result, { discovered: 1, new: 1 })
  assert.deepEqual(missed.world.hidden, ['w/2'])
  assert.ok(missed.result.warnings.some(({ code }) => code === 'documents_hidden'))
})

test('it gives a page that moves during the listing the permissions of its new scope', async () => {
  const moving = { id: '1', movesTo: 'B' }
  for (const scene of [{ pages: [moving] }, { pages: [moving], written: ['1'] }]) {
    const { world, result } = await runOf(scene)
    assert.equal(world.listings, 2)
    assert.deepEqual(world.access.get('w/1'), ['user:ben'])
    assertAddsUp(result, { discovered: 1, unchanged: 0 })
    const entry = world.ledger.get('w/1')
    assert.deepEqual([entry?.scope, entry?.stateHash], ['B', stateHash(moved(ref('1', '1'), 'B'))])
  }
})

test('it never writes a page that moves during the listing with the permissions of its old scope', async () => {
  const { world } = await runOf({ pages: [{ id: '1', movesTo: 'B' }] })
  assert.deepEqual(new Set(world.accessWrites), new Set(['w/1 user:ben']))
})

test('it gives a failed page that moves during the listing the permissions of its new scope', async () => {
  const others = Array.from({ length: SLICE_SIZE - 1 }, (_, index) => ({ id: `other-${index}` }))
  const failing = { id: '1', fails: true, movesTo: 'B', movesAfterFailure: true }
  const { world, result, failures } = await runOf({ pages: [...others, failing], known: ['1'] })
  assert.equal(world.listings, 2)
  assert.deepEqual(world.access.get('w/1'), ['user:ben'])
  assertAddsUp(result, { discovered: SLICE_SIZE, new: SLICE_SIZE - 1, failed: 1 })
  assert.deepEqual(new Set(failures), new Set(['w/1 document_broken']))
})

test('it leaves no page with old permissions if the source fails before it is listed again', async () => {
  const scene = { listingFailsAt: 2 }
  const page = { id: '1', listedUntil: 1 }
  const changed = await runOf({ ...scene, pages: [{ ...page, changes: 1 }], known: ['1'] })
  assert.deepEqual(changed.failures, ['w/1 source_unreachable'])
  assert.deepEqual(changed.world.access.get('w/1'), ['user:ann'])
  const moved = await runOf({ ...scene, pages: [{ ...page, movesTo: 'B' }], written: ['1'] })
  assert.deepEqual(moved.failures, ['w/1 source_unreachable'])
  assert.equal(moved.world.ledger.get('w/1')?.stateHash, HIDDEN_STATE)
})

test('it hides a changed page that a second listing of its scope lacks', async () => {
  const page = { id: '1', changes: 1, listedUntil: 1 }
  const incomplete = await runOf({ pages: [page], known: ['1'], neverComplete: true })
  assert.equal(incomplete.world.ledger.get('w/1')?.stateHash, HIDDEN_STATE)
  assertAddsUp(incomplete.result, { discovered: 1, failed: 1 })
  const later = await runOf({ pages: [page], known: ['1'], endsFrom: 2 })
  assert.equal(later.world.ledger.get('w/1')?.stateHash, HIDDEN_STATE)
  assert.deepEqual([later.result.complete, later.world.removed], [false, []])
})

test('it removes a page deleted after its listing in the same run, and counts it once', async () => {
  const { world, result } = await runOf({ pages: [{ id: '1', gone: 'everywhere' }], known: ['1'] })
  assert.deepEqual(world.removed, ['w/1'])
  assertAddsUp(result, { discovered: 1, skipped: 1, removed: 1 })
})

test('it hides a page whose body returns 404, and lists it again', async () => {
  const { world, result } = await runOf({ pages: [{ id: '1', gone: 'body' }], known: ['1'] })
  assert.deepEqual([world.removed, world.ledger.get('w/1')?.stateHash], [[], HIDDEN_STATE])
  assert.equal(world.listings, 2)
  assertAddsUp(result, { discovered: 1, skipped: 1, removed: 0 })
  assert.deepEqual(
    result.skips.map(({ code, documents }) => [code, documents]),
    [['document_gone', 1]],
  )
  const found = await runOf({ pages: [{ id: '1', gone: 'once' }], known: ['1'] })
  assert.deepEqual(found.world.access.get('w/1'), ['user:ann'])
  assertAddsUp(found.result, { discovered: 1, skipped: 0, changed: 1 })
})

test('it holds back the removal of many pages that return 404', async () => {
  const ids = Array.from({ length: 30 }, (_, id) => String(id))
  const { world, result } = await runOf({
    pages: ids.map((id) => ({ id, gone: 'everywhere' as const })),
    known: ids,
  })
  assert.deepEqual([result.heldBack, world.removed], [30, []])
  assert.ok([...world.ledger.values()].every(({ stateHash }) => stateHash === HIDDEN_STATE))
})

function assertAddsUp({ counts }: RunResult, expected: Partial<Counts> = {}): void {
  const { discovered, new: added, changed, unchanged, skipped, failed } = counts
  assert.equal(discovered, added + changed + unchanged + skipped + failed, JSON.stringify(counts))
  for (const [name, count] of Object.entries(expected))
    assert.equal(counts[name as keyof Counts], count, `${name} of ${JSON.stringify(counts)}`)
}

type Page = {
  id: string
  /** How many times it changes between listing and reading. */
  changes?: number
  keepsChanging?: boolean
  /** The first and last listing that include it, counted from one. */
  listedFrom?: number
  listedUntil?: number
  undecidedFrom?: number
  bug?: boolean
  /** What returns 404 after the listing: only the body, always or once, or the whole page. */
  gone?: 'body' | 'once' | 'everywhere'
  /** The first listing has it in both scopes with different permissions, later ones only in this one. */
  movesTo?: string
  /** The first listing shows it in the other scope after it failed. */
  movesAfterFailure?: boolean
  fails?: boolean
}
type Scene = {
  pages: Page[]
  /** Pages that an earlier run has written. */
  known?: string[]
  knownIn?: string
  /** Pages that an earlier run has written and that have not changed. */
  written?: string[]
  listingFailsAt?: number
  listingError?: Error
  /** The listing fails after the end of its scope. */
  failsAfterEnd?: boolean
  neverComplete?: boolean
  /** The first listing that reaches the end of its scope. */
  endsFrom?: number
  approved?: boolean
  writesUntil?: number
  removesUntil?: number
}

/** Runs with the source, index and ledger of the scene. */
async function runOf(scene: Scene) {
  return runIn(worldOf(scene), scene)
}

function worldOf(scene: Scene) {
  return {
    listings: 0,
    ledger: new Map<string, Entry>([
      ...(scene.known ?? []).map((id) => [`w/${id}`, known(id, scene)] as const),
      ...(scene.written ?? []).map((id) => [`w/${id}`, { ...entryOf(ref(id, '1')), version: '1' }] as const),
    ]),
    access: new Map<string, unknown>(),
    accessWrites: [] as string[],
    failed: new Set<string>(),
    removed: [] as string[],
    hidden: [] as string[],
    /** What was hidden when each listing began. */
    hiddenAt: [] as string[][],
  }
}

async function runIn(world: ReturnType<typeof worldOf>, scene: Scene) {
  const failures: string[] = []
  const messages: string[] = []
  const failed = ({ record_id, code, message }: DocumentFailure) => {
    world.failed.add(record_id)
    failures.push(`${record_id} ${code}`)
    messages.push(message)
  }
  const result = await runWhole(optionsOf(world, scene, failed), signal)
  return { world, result, failures, messages }
}

function optionsOf(
  world: ReturnType<typeof worldOf>,
  scene: Scene,
  failed: (failure: DocumentFailure) => void = () => {},
): WholeRunOptions {
  return {
    source: sourceOf(scene, world),
    destination: destinationOf(scene, world),
    ledger: ledgerOf(world.ledger),
    runner: runnerOf(plan([]), null),
    settingsHash: 'settings',
    reprocessAll: false,
    approved: scene.approved ?? false,
    watch: { progress() {}, warning() {}, failed },
  }
}

function sourceOf(scene: Scene, world: ReturnType<typeof worldOf>): Source {
  const versions = new Map(scene.pages.map(({ id }) => [id, 1]))
  const changed = new Map<string, number>()
  // Only the methods that a run calls.
  return {
    rendition: '',
    async *list(): AsyncGenerator<ListingPage> {
      const listing = ++world.listings
      world.hiddenAt.push([...world.hidden])
      const listed = scene.pages.filter(
        ({ listedFrom = 1, listedUntil = 99 }) => listing >= listedFrom && listing <= listedUntil,
      )
      for (const page of listed) {
        const one = ref(page.id, String(versions.get(page.id)))
        const refs = [listing >= (page.undecidedFrom ?? 99) ? { ...one, undecided: true as const } : one]
        if (!page.movesTo || listing === 1) yield { kind: 'refs', scope: 'A', refs, asOf: new Date() }
        if (page.movesAfterFailure && listing === 1)
          while (!world.failed.has(one.recordId)) await setImmediate()
        const there = page.movesTo
        if (there)
          yield { kind: 'refs', scope: there, refs: refs.map((each) => moved(each, there)), asOf: new Date() }
      }
      if (scene.listingFailsAt === listing)
        throw scene.listingError ?? new AppError('source_unreachable', 'the wiki is unreachable')
      if (listing < (scene.endsFrom ?? 1)) return
      yield { kind: 'end', scope: 'A' }
      if (scene.failsAfterEnd) throw new AppError('source_unreachable', 'the wiki is unreachable')
      if (!scene.neverComplete) yield { kind: 'complete' }
    },
    async *read(refs: DocumentRef[]) {
      for (const each of refs) {
        const page = scene.pages.find(({ id }) => each.recordId === `w/${id}`)
        if (page?.bug) throw new TypeError('no such thing')
        if (page?.fails) {
          yield { ref: each, error: new AppError('document_broken', 'it is broken') }
          continue
        }
        const times = changed.get(each.recordId) ?? 0
        if (page?.gone && (page.gone !== 'once' || world.listings === 1))
          yield { ref: each, error: new AppError('document_gone', 'it is gone') }
        else if (page?.keepsChanging || times < (page?.changes ?? 0)) {
          changed.set(each.recordId, times + 1)
          versions.set(page!.id, versions.get(page!.id)! + 1)
          yield { ref: each, relist: true as const }
        } else {
          const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Words.</p>' }
          yield { ref: each, document }
        }
      }
    },
    locate: async (documents: { recordId: string }[]) =>
      new Map<string, DocumentLocation>(
        documents.map(({ recordId }) => [
          recordId,
          scene.pages.some(({ id, gone }) => recordId === `w/${id}` && gone !== 'everywhere')
            ? { scope: 'A', position: '1' }
            : null,
        ]),
      ),
  } as unknown as Source
}

function destinationOf(scene: Scene, world: ReturnType<typeof worldOf>): Destination {
  let writes = 0
  let removals = 0
  const unreachable = () => new AppError('destination_unreachable', 'the index is unreachable')
  const note = (items: { recordId: string; dataSource: DataSource }[]) => {
    for (const { recordId, dataSource } of items) {
      const { c0 } = dataSource.access as { c0: unknown }
      world.access.set(recordId, c0)
      world.accessWrites.push(`${recordId} ${c0}`)
    }
  }
  return {
    write: async (items: WriteItem[]) => {
      if (++writes > (scene.writesUntil ?? Number.POSITIVE_INFINITY)) throw unreachable()
      note(items)
      return []
    },
    updateAccess: async (items: AccessItem[]) => {
      note(items)
      world.hidden.push(...items.map(({ recordId }) => recordId))
      return []
    },
    remove: async (elements: { recordId: string }[]) => {
      if (elements.length === 0) return
      if (++removals > (scene.removesUntil ?? Number.POSITIVE_INFINITY)) throw unreachable()
      world.removed.push(...elements.map(({ recordId }) => recordId))
    },
  } as unknown as Destination
}

function ledgerOf(entries: Map<string, Entry>): RunLedger {
  let fence = 0
  const find = async (ids: string[]) =>
    new Map(ids.flatMap((id) => (entries.has(id) ? [[id, entries.get(id)!]] : [])))
  const put = async (given: Entry[]) => given.forEach((each) => void entries.set(each.recordId, each))
  return {
    find,
    forTask: () => ({
      fence: ++fence,
      find,
      intend: put,
      settle: async (given: Entry[]) => {
        await put(given)
        return []
      },
      forget: async (ids) => ids.forEach((id) => void entries.delete(id)),
    }),
    count: () => entries.size,
    async *entriesExcept(seen) {
      const rest = [...entries.values()].filter(({ recordId }) => !seen.has(recordId))
      for (let at = 0; at < rest.length; at += 500) yield rest.slice(at, at + 500)
    },
  }
}

function ref(id: string, version: string): DocumentRef {
  const none = { users: [], groups: [] }
  return {
    ...{ recordId: `w/${id}`, scope: 'A', position: id, version, title: `Page ${id}`, url: '', locator: {} },
    ...{ filename: `${id}.html`, createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: 'A',
    access: {
      permissions: [{ read: none }, { update: none }, { delete: none }],
      clauses: { c0: ['user:ann'] },
    },
  }
}

function moved(from: DocumentRef, scope: string): DocumentRef {
  const access = { ...from.access, clauses: { c0: ['user:ben'] } }
  return { ...from, scope, scopeName: scope, access }
}

function known(id: string, { knownIn = 'A' }: Scene): Entry {
  return { ...entryOf(ref(id, '1')), stateHash: 'before', scope: knownIn }
}

function entryOf(of: DocumentRef): Entry {
  const { recordId, scope, position, locator } = of
  return {
    ...{ recordId, scope, position, locator, version: '0', stateHash: stateHash(of) },
    ...{ settingsHash: 'settings', elementIds: ['e'], settled: true },
  }
}
