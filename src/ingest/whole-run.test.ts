import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AccessItem,
  DataSource,
  Destination,
  DocumentLocation,
  ListingPage,
  Source,
  WriteItem,
} from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { HIDDEN, stateHash } from './data-source.ts'
import { MAX_LISTINGS } from './relist-limits.ts'
import type { RunLedger } from './run-ledger.ts'
import type { Counts, DocumentFailure } from './tally.ts'
import { type RunResult, runWhole } from './whole-run.ts'

const { signal } = new AbortController()

test('a page that changes between every listing and its reading fails in the end, and is not lost', async () => {
  const { world, ending, failures } = await runOf({
    pages: [{ id: '1' }, { id: '2', keepsChanging: true }],
  })
  assert.equal(world.listings, MAX_LISTINGS)
  assert.deepEqual(failures, ['w/2 source_misread'])
  assertAddsUp(ending, { discovered: 2, new: 1, failed: 1 })
})

test('a page that changes once is written in its new version at the second look', async () => {
  const { world, ending } = await runOf({ pages: [{ id: '1', changes: 1 }] })
  assert.equal(world.listings, 2)
  assert.equal(world.ledger.get('w/1')?.version, '2')
  assertAddsUp(ending, { discovered: 1, new: 1 })
})

test('a page that changes and is gone at the second look is not counted at all', async () => {
  const { ending } = await runOf({ pages: [{ id: '1' }, { id: '2', changes: 1, shownUntil: 1 }] })
  assertAddsUp(ending, { discovered: 1, new: 1 })
})

test('a page that changes and cannot be decided at the second look is not counted either', async () => {
  const { ending } = await runOf({ pages: [{ id: '1' }, { id: '2', changes: 1, undecidedFrom: 2 }] })
  assertAddsUp(ending, { discovered: 1, new: 1 })
})

test('an index that breaks in the middle of a run: what was not reached has failed with it', async () => {
  const { ending, failures } = await runOf({
    pages: Array.from({ length: 330 }, (_, index) => ({ id: String(index) })),
    writesUntil: 2,
  })
  assert.equal(ending.broken?.code, 'destination_unreachable')
  assert.equal(ending.counts.new, 100)
  assert.ok(ending.counts.failed >= 50)
  assertAddsUp(ending)
  assert.ok(failures.every((each) => each.endsWith('destination_unreachable')))
  assert.equal(failures.length, ending.counts.failed)
})

test('a listing that breaks: what it had found is worked, nothing is removed, and the numbers add up', async () => {
  const { world, ending } = await runOf({
    pages: [{ id: '1' }, { id: '2', changes: 1 }],
    known: ['9'],
    breaksAfter: 1,
  })
  assert.equal(ending.broken?.code, 'source_unreachable')
  assert.equal(ending.complete, false)
  assert.deepEqual(world.removed, [])
  assertAddsUp(ending, { discovered: 2, new: 1, failed: 1 })
})

test('a listing that is not complete removes only from the scopes that reached their end', async () => {
  const scene = { pages: [{ id: '1' }], known: ['9'], neverComplete: true }
  const { world, ending } = await runOf(scene)
  assert.deepEqual([ending.complete, ending.broken, world.removed], [false, null, ['w/9']])
  const other = await runOf({ ...scene, knownIn: 'B' })
  assert.deepEqual([other.world.removed, other.world.hidden], [[], []])
  const old = await runOf({ ...scene, knownIn: 'B', isOld: true })
  assert.deepEqual([old.world.removed, old.world.hidden], [[], ['w/9']])
})

test('a listing that breaks hides text of an earlier release that it did not replace', async () => {
  const scene = { pages: [{ id: '1' }], known: ['1', '9'], breaksAfter: 1, isOld: true }
  const { world, ending } = await runOf(scene)
  assert.equal(ending.broken?.code, 'source_unreachable')
  assert.deepEqual([world.hidden, world.ledger.has('w/9')], [['w/9'], true])
  assert.deepEqual(world.rights.get('w/1'), ['user:ann'])
})

test('an unforeseen error of the listing hides text of an earlier release too, and is thrown', async () => {
  const scene = {
    pages: [],
    known: ['9'],
    breaksAfter: 1,
    breaksBy: new TypeError('no such thing'),
    isOld: true,
  }
  const world = worldOf(scene)
  await assert.rejects(runIn(world, scene), /no such thing/)
  assert.deepEqual(world.hidden, ['w/9'])
})

test('a page that keeps changing has the permissions of its last listing', async () => {
  const scene = { pages: [{ id: '1', keepsChanging: true }], known: ['1'] }
  const { world, failures } = await runOf(scene)
  assert.deepEqual(failures, ['w/1 source_misread'])
  assert.deepEqual(world.rights.get('w/1'), ['user:ann'])
  const old = await runOf({ ...scene, isOld: true })
  assert.equal(old.world.ledger.get('w/1')?.stateHash, HIDDEN)
})

test('pages of a slice that breaks have the permissions of their listing', async () => {
  const { world } = await runOf({ pages: [{ id: '1', bug: true }, { id: '2' }], known: ['1', '2'] })
  assert.deepEqual(
    [...world.rights],
    [
      ['w/1', ['user:ann']],
      ['w/2', ['user:ann']],
    ],
  )
})

test('what left is removed, and what could not be said before the index broke is still counted', async () => {
  const known = Array.from({ length: 1200 }, (_, index) => `gone-${index}`)
  const { ending } = await runOf({ pages: [{ id: '1' }], known, approved: true, removesUntil: 2 })
  assert.equal(ending.broken?.code, 'destination_unreachable')
  assert.equal(ending.counts.removed, 1000)
})

test('an error that nobody foresaw fails the pages of its slice and says what it was', async () => {
  const { ending, said } = await runOf({ pages: [{ id: '1', bug: true }, { id: '2' }] })
  assertAddsUp(ending, { discovered: 2, failed: 2 })
  assert.match(said[0] ?? '', /TypeError: no such thing/)
})

test('deletions above the guard are held back, and go once they are approved', async () => {
  const known = Array.from({ length: 40 }, (_, index) => `gone-${index}`)
  const held = await runOf({ pages: [{ id: '1' }], known })
  assert.deepEqual([held.ending.heldBack, held.world.removed.length], [40, 0])
  const approved = await runOf({ pages: [{ id: '1' }], known, approved: true })
  assert.deepEqual([approved.ending.heldBack, approved.world.removed.length], [0, 40])
})

test('a known page that the listing missed is listed again, and hidden where it is missed once more', async () => {
  const found = await runOf({ pages: [{ id: '1' }, { id: '2', shownFrom: 2 }], known: ['2'] })
  assertAddsUp(found.ending, { discovered: 2, new: 1, changed: 1 })
  const missed = await runOf({ pages: [{ id: '1' }, { id: '2', shownFrom: 9 }], known: ['2'] })
  assertAddsUp(missed.ending, { discovered: 1, new: 1 })
  assert.deepEqual(missed.world.hidden, ['w/2'])
  assert.ok(missed.ending.warnings.some(({ code }) => code === 'documents_hidden'))
})

test('a page that moves while it is listed has the rights of where it came to stand', async () => {
  const moving = { id: '1', movesTo: 'B' }
  for (const scene of [{ pages: [moving] }, { pages: [moving], written: ['1'] }]) {
    const { world, ending } = await runOf(scene)
    assert.equal(world.listings, 2)
    assert.deepEqual(world.rights.get('w/1'), ['user:ben'])
    assertAddsUp(ending, { discovered: 1, unchanged: 0 })
    const entry = world.ledger.get('w/1')
    assert.deepEqual([entry?.scope, entry?.stateHash], ['B', stateHash(moved(ref('1', '1'), 'B'))])
  }
})

test('a page deleted between listing and reading leaves in the same run, and is counted once', async () => {
  const { world, ending } = await runOf({ pages: [{ id: '1', gone: 'everywhere' }], known: ['1'] })
  assert.deepEqual(world.removed, ['w/1'])
  assertAddsUp(ending, { discovered: 1, skipped: 1, removed: 1 })
})

test('a page whose body alone answers 404 is hidden and looked for again', async () => {
  const { world, ending } = await runOf({ pages: [{ id: '1', gone: 'body' }], known: ['1'] })
  assert.deepEqual([world.removed, world.ledger.get('w/1')?.stateHash], [[], HIDDEN])
  assert.equal(world.listings, 2)
  assertAddsUp(ending, { discovered: 1, skipped: 1, removed: 0 })
  assert.deepEqual(
    ending.skips.map(({ code, documents }) => [code, documents]),
    [['document_gone', 1]],
  )
  const found = await runOf({ pages: [{ id: '1', gone: 'once' }], known: ['1'] })
  assert.deepEqual(found.world.rights.get('w/1'), ['user:ann'])
  assertAddsUp(found.ending, { discovered: 1, skipped: 0, changed: 1 })
})

test('many bodies that answer 404 are held back by the guard', async () => {
  const ids = Array.from({ length: 30 }, (_, id) => String(id))
  const { world, ending } = await runOf({
    pages: ids.map((id) => ({ id, gone: 'everywhere' as const })),
    known: ids,
  })
  assert.deepEqual([ending.heldBack, world.removed], [30, []])
  assert.ok([...world.ledger.values()].every(({ stateHash }) => stateHash === HIDDEN))
})

function assertAddsUp({ counts }: RunResult, expected: Partial<Counts> = {}): void {
  const { discovered, new: added, changed, unchanged, skipped, failed } = counts
  assert.equal(discovered, added + changed + unchanged + skipped + failed, JSON.stringify(counts))
  for (const [name, count] of Object.entries(expected))
    assert.equal(counts[name as keyof Counts], count, `${name} of ${JSON.stringify(counts)}`)
}

type Page = {
  id: string
  /** How many times its version is another by the time it is read. */
  changes?: number
  keepsChanging?: boolean
  /** The looks in which it is shown, counted from one. */
  shownFrom?: number
  shownUntil?: number
  undecidedFrom?: number
  bug?: boolean
  /** What answers 404 after it was listed: the body alone, for good or once, or the page. */
  gone?: 'body' | 'once' | 'everywhere'
  /** Shown in the first look where it was and then there, with other rights, and later only there. */
  movesTo?: string
}
type Scene = {
  pages: Page[]
  /** Pages that an earlier run has written. */
  known?: string[]
  knownIn?: string
  /** Whether an earlier release wrote them. */
  isOld?: boolean
  /** Likewise, and just as they are listed first. */
  written?: string[]
  breaksAfter?: number
  breaksBy?: Error
  neverComplete?: boolean
  approved?: boolean
  writesUntil?: number
  removesUntil?: number
}

/** A run over a source, an index and a ledger that do what the scene says. */
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
    rights: new Map<string, unknown>(),
    removed: [] as string[],
    hidden: [] as string[],
  }
}

async function runIn(world: ReturnType<typeof worldOf>, scene: Scene) {
  const failures: string[] = []
  const said: string[] = []
  const ending = await runWhole(
    {
      source: sourceOf(scene, world),
      destination: destinationOf(scene, world),
      ledger: ledgerOf(world.ledger),
      runner: runnerOf(plan([]), null),
      settingsHash: 'settings',
      reprocessAll: false,
      approved: scene.approved ?? false,
      watch: {
        progress() {},
        warning() {},
        failed({ record_id, code, message }: DocumentFailure) {
          failures.push(`${record_id} ${code}`)
          said.push(message)
        },
      },
    },
    signal,
  )
  return { world, ending, failures, said }
}

function sourceOf(scene: Scene, world: { listings: number }): Source {
  const versions = new Map(scene.pages.map(({ id }) => [id, 1]))
  const changed = new Map<string, number>()
  // Only what a run asks of it is here.
  return {
    rendition: '',
    async *list(): AsyncGenerator<ListingPage> {
      const look = ++world.listings
      const shown = scene.pages.filter(
        ({ shownFrom = 1, shownUntil = 99 }) => look >= shownFrom && look <= shownUntil,
      )
      for (const page of shown) {
        const one = ref(page.id, String(versions.get(page.id)))
        const refs = [look >= (page.undecidedFrom ?? 99) ? { ...one, undecided: true as const } : one]
        if (!page.movesTo || look === 1) yield { kind: 'refs', scope: 'A', refs, asOf: new Date() }
        const there = page.movesTo
        if (there)
          yield { kind: 'refs', scope: there, refs: refs.map((each) => moved(each, there)), asOf: new Date() }
      }
      if (scene.breaksAfter === look)
        throw scene.breaksBy ?? new AppError('source_unreachable', 'the wiki is away')
      yield { kind: 'end', scope: 'A' }
      if (!scene.neverComplete) yield { kind: 'complete' }
    },
    async *read(refs: DocumentRef[]) {
      for (const each of refs) {
        const page = scene.pages.find(({ id }) => each.recordId === `w/${id}`)
        if (page?.bug) throw new TypeError('no such thing')
        const times = changed.get(each.recordId) ?? 0
        if (page?.gone && (page.gone !== 'once' || world.listings === 1))
          yield { ref: each, error: new AppError('document_gone', 'it is gone') }
        else if (page?.keepsChanging || times < (page?.changes ?? 0)) {
          changed.set(each.recordId, times + 1)
          versions.set(page!.id, versions.get(page!.id)! + 1)
          yield { ref: each, again: true as const }
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

type Written = { removed: string[]; hidden: string[]; rights: Map<string, unknown> }

function destinationOf(scene: Scene, world: Written): Destination {
  let writes = 0
  let removals = 0
  const away = () => new AppError('destination_unreachable', 'the index is away')
  const note = (items: { recordId: string; dataSource: DataSource }[]) => {
    for (const { recordId, dataSource } of items)
      world.rights.set(recordId, (dataSource.access as { c0: unknown }).c0)
  }
  return {
    write: async (items: WriteItem[]) => {
      if (++writes > (scene.writesUntil ?? Number.POSITIVE_INFINITY)) throw away()
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
      if (++removals > (scene.removesUntil ?? Number.POSITIVE_INFINITY)) throw away()
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
      settle: put,
      forget: async (ids) => ids.forEach((id) => void entries.delete(id)),
    }),
    count: () => entries.size,
    async *others(seen) {
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
    space: { key: 'A', name: 'A' },
    access: {
      permissions: [{ read: none }, { update: none }, { delete: none }],
      clauses: { c0: ['user:ann'] },
    },
  }
}

function moved(from: DocumentRef, scope: string): DocumentRef {
  const access = { ...from.access, clauses: { c0: ['user:ben'] } }
  return { ...from, scope, space: { key: scope, name: scope }, access }
}

function known(id: string, { knownIn = 'A', isOld }: Scene): Entry {
  const { ownText, ...entry } = { ...entryOf(ref(id, '1')), stateHash: 'before', scope: knownIn }
  return isOld || !ownText ? entry : { ...entry, ownText }
}

function entryOf(of: DocumentRef): Entry {
  const { recordId, scope, position, locator } = of
  return {
    ...{ recordId, scope, position, locator, version: '0', stateHash: stateHash(of) },
    ...{ settingsHash: 'settings', elementIds: ['e'], settled: true, ownText: true },
  }
}
