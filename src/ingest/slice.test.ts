import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination, WriteItem } from '../connectors/destination.ts'
import type { ReadOutcome, Source } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { defaultNodes, parseNodes, plan } from '../pipeline/nodes.ts'
import { type Runner, runnerOf } from '../pipeline/runner.ts'
import { compare } from './compare.ts'
import { stateHash } from './data-source.ts'
import { processSlice } from './slice.ts'
import type { DocumentOutcome, DocumentTask, SliceContext } from './slice-context.ts'

const { signal } = new AbortController()

test('it updates permissions in the index even if the embedder fails', async () => {
  const before = entry(ref('class:all-licensed-users'))
  const now = ref('user:ann')
  const updated: AccessItem[] = []
  const recorded: string[] = []
  const reported: DocumentOutcome[] = []
  await processSlice(
    [{ ref: now, kind: 'changed' }],
    {
      // Only the methods that a slice calls.
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
          updated.push(...items)
          recorded.push('updated')
          return []
        },
      } as unknown as Destination,
      openLedger: async () => ({
        fence: 1,
        find: async () => new Map([[before.recordId, before]]),
        intend: async () => void recorded.push('intended'),
        settle: async ([settled]) => {
          recorded.push(`settled at ${settled?.version}`)
          return []
        },
        forget: async () => {},
      }),
      settingsHash: 'settings',
      runner: runnerOf(plan(defaultNodes()), {
        dims: 384,
        embed: () => Promise.reject(new AppError('embedder_failed', 'the model broke')),
      }),
      wanted: async (refs) => new Map(refs.map((each) => [each.recordId, each])),
      relist: null,
      report: async (outcomes) => void reported.push(...outcomes),
    },
    signal,
  )
  assert.deepEqual(
    updated.map((item) => item.dataSource.access),
    [{ c0: ['user:ann'] }],
  )
  // Recorded before the update, and settled with the old version.
  assert.deepEqual(recorded, ['intended', 'updated', 'settled at 1'])
  assert.deepEqual(
    reported.map(({ state }) => state),
    ['failed'],
  )
})

test('it reads no text of a document whose permissions a newer task writes', async () => {
  const before = { ...entry(ref('class:all-licensed-users')), version: '2' }
  const reported: DocumentOutcome[] = []
  let finds = 0
  await processSlice(
    [{ ref: ref('user:ann'), kind: 'permissions_only' }],
    {
      source: { read: () => assert.fail('it reads the text') } as unknown as Source,
      destination: { updateAccess: async () => [] } as unknown as Destination,
      openLedger: async () => ({
        fence: 1,
        // The other task has an open intent when this one looks after its write.
        find: async () => new Map([[before.recordId, { ...before, settled: ++finds !== 3 }]]),
        intend: async () => {},
        settle: async (entries) => entries.map(({ recordId }) => recordId),
        forget: async () => {},
      }),
      settingsHash: 'settings',
      runner: runnerOf(plan(defaultNodes()), null),
      wanted: async (refs) => new Map(refs.map((each) => [each.recordId, each])),
      relist: null,
      report: async (outcomes) => void reported.push(...outcomes),
    },
    signal,
  )
  assert.deepEqual(
    reported.map(({ state }) => state),
    ['permissions_only'],
  )
})

test('it removes an unsupported document from the index and records the reason', async () => {
  const setup = setUp(({ ref: each }) => ({
    ref: each,
    error: new AppError('document_unsupported', 'reading film.mp4: it is video/mp4'),
  }))
  setup.ledger.set('w/1', entry(ref('user:ann')))
  await setup.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.deepEqual(setup.steps, [
    'open ledger',
    'record w/1 with e, not settled',
    'remove w/1 e',
    'record w/1 with nothing, settled',
    'report skipped',
  ])
  const kept = setup.ledger.get('w/1')
  assert.equal(kept?.skipped?.message, 'reading film.mp4: it is video/mp4')
  const settings = { settingsHash: 'settings', reprocessAll: false }
  assert.equal(compare(ref('user:ben'), kept, settings), 'skipped')
  assert.equal(compare({ ...ref('user:ann'), version: '3' }, kept, settings), 'changed')
})

test('it skips a document that is not in the index without a request to it', async () => {
  const setup = setUp(({ ref: each }) => ({
    ref: each,
    error: new AppError('file_too_large', 'reading disk.iso: 700 MB'),
  }))
  await setup.run({ ref: ref('user:ann'), kind: 'new' })
  assert.deepEqual(setup.steps, ['open ledger', 'record w/1 with nothing, settled', 'report skipped'])
  assert.equal(setup.ledger.get('w/1')?.version, '2')
})

test('it skips a file without a partitioner, and writes it once it is supported', async () => {
  const film = setUp(({ ref: each }) => file(each, 'video/mp4', new Uint8Array([0, 0, 0])))
  await film.run({ ref: ref('user:ann'), kind: 'new' })
  assert.equal(film.ledger.get('w/1')?.skipped?.code, 'document_unsupported')

  const text = setUp(({ ref: each }) => file(each, 'text/plain', Buffer.from('Words at last.')))
  text.ledger.set('w/1', film.ledger.get('w/1') as Entry)
  await text.run({ ref: { ...ref('user:ann'), version: '3' }, kind: 'changed' })
  assert.equal(text.ledger.get('w/1')?.skipped, undefined)
  assert.deepEqual(
    text.written.map(({ element }) => element.text),
    ['Words at last.'],
  )
})

test('it keeps the ledger entry unsettled if a removal fails', async () => {
  const setup = setUp(({ ref: each }) => ({ ref: each, error: new AppError('file_too_large', 'too large') }))
  setup.ledger.set('w/1', entry(ref('user:ann')))
  setup.failing = new AppError('destination_unreachable', 'the index is away')
  await assert.rejects(setup.run({ ref: ref('user:ann'), kind: 'changed' }), /the index is away/)
  const { elementIds, settled } = setup.ledger.get('w/1') as Entry
  assert.deepEqual({ elementIds, settled }, { elementIds: ['e'], settled: false })
})

test('it processes an incomplete document again in the next run', async () => {
  let incomplete: { incomplete?: true } = { incomplete: true }
  const page = ({ ref: each }: DocumentTask): ReadOutcome => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Mine.</p>' }
    return { ref: each, document: { ...document, ...incomplete } }
  }
  const setup = setUp(page)
  await setup.run({ ref: ref('user:ann'), kind: 'new' })
  const settings = { settingsHash: 'settings', reprocessAll: false }
  assert.equal(compare(ref('user:ann'), setup.ledger.get('w/1'), settings), 'changed')
  assert.equal(setup.ledger.get('w/1')?.version, '2')
  incomplete = {}
  await setup.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.equal(compare(ref('user:ann'), setup.ledger.get('w/1'), settings), 'unchanged')
})

test('it writes a document without failed enrichments, and retries them in the next run', async () => {
  const page = ({ ref: each }: DocumentTask): ReadOutcome => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Ada mills.</p>' }
    return { ref: each, document }
  }
  let answer: string | AppError = new AppError('model_failed', 'asking a-model: it failed (500)')
  const model = {
    name: 'a-model',
    async ask() {
      if (answer instanceof AppError) throw answer
      return answer
    },
  }
  const planned = { ...plan(defaultNodes()), embed: null }
  const enriched = { ...planned, enrich: [{ kind: 'ner', provider: 'openai', model: 'a-model' }] as const }
  const setup = setUp(
    page,
    runnerOf({ ...enriched, enrich: [...enriched.enrich] }, null, { models: { find: () => model } }),
  )
  const settings = { settingsHash: 'settings', reprocessAll: false }
  await setup.run({ ref: ref('user:ann'), kind: 'new' })
  assert.equal(setup.written.length, 1)
  assert.match(JSON.stringify(setup.reported), /"state":"new".*"code":"enrichment_failed","count":2/)
  assert.equal(compare(ref('user:ann'), setup.ledger.get('w/1'), settings), 'changed')

  answer = '{"items":[{"entity":"Ada","type":"PERSON"}]}'
  await setup.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.equal(setup.written[1]?.element.metadata.entities?.items[0]?.entity, 'Ada')
  assert.equal(setup.written[1]?.element.element_id, setup.written[0]?.element.element_id)
  assert.equal(compare(ref('user:ann'), setup.ledger.get('w/1'), settings), 'unchanged')
})

test('it lists a document again if reading took so long that its permissions expired', async () => {
  const page = ({ ref: each }: DocumentTask): ReadOutcome => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Late.</p>' }
    return { ref: each, document }
  }
  const setup = setUp(page)
  await setup.run({ ref: ref('user:ann'), kind: 'new', expiresAt: new Date(Date.now() - 1) })
  assert.deepEqual([setup.written, setup.steps], [[], ['report relist']])
})

test('it lists a document again if embedding took so long that its permissions expired', async () => {
  const expiresAt = new Date(Date.now() + 30)
  const slow = {
    dims: 1,
    embed: async (texts: string[]) => {
      while (Date.now() <= expiresAt.getTime()) await new Promise((resolve) => setTimeout(resolve, 5))
      return texts.map(() => [1])
    },
  }
  const setup = setUp(textOf('Slow.'), runnerOf(plan(defaultNodes()), slow))
  await setup.run({ ref: ref('user:ann'), kind: 'new', expiresAt })
  assert.deepEqual([setup.written, setup.steps], [[], ['report relist']])
})

test('it reads permissions again if the text is newer than their listing', async () => {
  const asOf = new Date('2026-11-16T09:00:00Z')
  const edited = (recordId: string, modifiedAt: string): DocumentTask => {
    return { ref: { ...ref('class:all-licensed-users'), recordId, modifiedAt }, kind: 'changed', asOf }
  }
  const setup = setUp(textOf('Secret.'))
  const relisted: string[] = []
  setup.relist = async (refs) => {
    relisted.push(...refs.map(({ recordId }) => recordId))
    return new Map(refs.map((each) => [each.recordId, { ...ref('user:ann'), recordId: each.recordId }]))
  }
  await setup.run(edited('w/1', '2026-11-16T08:59:00.000Z'), edited('w/2', '2026-11-16T09:01:00.000Z'))
  assert.deepEqual(relisted, ['w/2'])
  assert.deepEqual(
    setup.written.map(({ recordId, dataSource }) => [recordId, dataSource.access]),
    [
      ['w/1', { c0: ['class:all-licensed-users'] }],
      ['w/2', { c0: ['user:ann'] }],
    ],
  )
})

test('it fails only the document whose text the embedder rejects', async () => {
  const picky = {
    dims: 1,
    embed: async (texts: string[]) => {
      if (texts.some((text) => text.includes('poison')))
        throw new AppError('embedder_failed', 'it is no number')
      return texts.map(() => [1])
    },
  }
  const textFor = (each: DocumentRef) => (each.recordId === 'w/2' ? 'poison' : 'water')
  const setup = setUp((task) => textOf(textFor(task.ref))(task), runnerOf(plan(defaultNodes()), picky))
  const tasks = ['w/1', 'w/2', 'w/3'].map((recordId): DocumentTask => {
    return { ref: { ...ref('user:ann'), recordId }, kind: 'new' }
  })
  await setup.run(...tasks)
  assert.deepEqual(
    setup.written.map(({ recordId }) => recordId),
    ['w/1', 'w/3'],
  )
  assert.deepEqual(setup.reported.map(({ recordId, state }) => `${recordId} ${state}`).sort(), [
    'w/1 new',
    'w/2 failed',
    'w/3 new',
  ])
  const failed = setup.reported.find(({ state }) => state === 'failed')
  assert.equal(failed && 'stage' in failed && failed.stage, 'embed')
})

function textOf(text: string): (task: DocumentTask) => ReadOutcome {
  return ({ ref: each }) => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: `<p>${text}</p>` }
    return { ref: each, document }
  }
}

test('it reports missing parts with the document, and writes images without text', async () => {
  const warnings = [{ code: 'images_missing', count: 2, message: 'cat.png is gone' }]
  const setup = setUp(({ ref: each }) => {
    const body = '<p>See.</p><img src="data:image/png;base64,AAAA">'
    return { ref: each, document: { ref: each, version: '2', filetype: 'text/html', body, warnings } }
  })
  await setup.run({ ref: ref('user:ann'), kind: 'new' })
  assert.deepEqual(setup.reported, [{ recordId: 'w/1', state: 'new', elements: 2, warnings }])
  const [words, picture] = setup.written.map(({ element }) => element)
  assert.equal(words?.embeddings?.length, 1)
  assert.equal(picture?.type, 'Image')
  assert.equal(picture?.metadata.image_base64, 'AAAA')
  assert.equal(picture && 'embeddings' in picture, false)
})

function file(of: DocumentRef, filetype: string, body: Uint8Array): ReadOutcome {
  return { ref: of, document: { ref: of, version: of.version, filetype, body } }
}

const plainRunner = runnerOf(plan(defaultNodes()), {
  dims: 1,
  embed: async (texts) => texts.map(() => [1]),
})

/** A slice with a source that returns `read` for each task, and with a ledger and an index in memory. */
test('it writes a document before the vectors of the next one would take too much memory', async () => {
  const nodes = parseNodes([
    { type: 'partition' },
    { type: 'chunk', subtype: 'chunk_by_character', settings: { max_characters: 2 } },
    { type: 'embed' },
  ])
  const batches: number[] = []
  const embedder = {
    dims: 10_000,
    embed: async (texts: string[]) => {
      batches.push(texts.length)
      return texts.map(() => [1])
    },
  }
  const setup = setUp(
    ({ ref: each }) => ({
      ref: each,
      document: { ref: each, version: each.version, filetype: 'text/plain', body: 'ab '.repeat(1200) },
    }),
    runnerOf(plan(nodes), embedder),
  )
  const [one, two] = [ref('user:ann'), { ...ref('user:ann'), recordId: 'w/2' }]
  await setup.run({ ref: one, kind: 'new' }, { ref: two, kind: 'new' })
  assert.deepEqual(
    setup.reported.map(({ recordId, state }) => [recordId, state]),
    [
      ['w/1', 'new'],
      ['w/2', 'new'],
    ],
  )
  assert.ok(Math.max(...batches) <= 2000, String(batches))
  assert.equal(setup.steps.filter((step) => step === 'open ledger').length, 2)
  assert.ok(setup.written.every(({ element }) => element.embeddings?.length === 1))
})

function setUp(read: (task: DocumentTask) => ReadOutcome, runner: Runner = plainRunner) {
  const steps: string[] = []
  const ledger = new Map<string, Entry>()
  const written: WriteItem[] = []
  const updated: AccessItem[] = []
  const reported: DocumentOutcome[] = []
  const record = async (entries: Entry[]) => {
    for (const each of entries) {
      const { recordId, elementIds, settled } = each
      steps.push(`record ${recordId} with ${elementIds.join() || 'nothing'}, ${settled ? '' : 'not '}settled`)
      ledger.set(recordId, each)
    }
  }
  const setup = {
    steps,
    ledger,
    written,
    updated,
    reported,
    failing: null as AppError | null,
    relist: null as SliceContext['relist'],
    async run(...tasks: DocumentTask[]) {
      const context: SliceContext = {
        // Only the methods that a slice calls.
        source: {
          async *read(refs: DocumentRef[]) {
            for (const each of refs) yield read({ ...tasks[0]!, ref: each })
          },
        } as unknown as Source,
        destination: {
          write: async (items: WriteItem[]) => {
            written.push(...items)
            return []
          },
          updateAccess: async (items: AccessItem[]) => {
            updated.push(...items)
            return []
          },
          remove: async (elements: { recordId: string; elementIds: string[] }[]) => {
            if (setup.failing) throw setup.failing
            for (const { recordId, elementIds } of elements)
              steps.push(`remove ${recordId} ${elementIds.join()}`)
          },
        } as unknown as Destination,
        openLedger: async () => {
          steps.push('open ledger')
          return {
            fence: 1,
            find: async () => new Map(ledger),
            intend: record,
            settle: async (entries) => {
              await record(entries)
              return []
            },
            forget: async (recordIds) => recordIds.forEach((id) => void ledger.delete(id)),
          }
        },
        settingsHash: 'settings',
        runner,
        wanted: async (refs) => new Map(refs.map((each) => [each.recordId, each])),
        relist: setup.relist,
        report: async (outcomes) => {
          for (const outcome of outcomes) steps.push(`report ${outcome.state}`)
          reported.push(...outcomes)
        },
      }
      await processSlice(tasks, context, signal)
    },
  }
  return setup
}

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
    scopeName: 'A',
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
