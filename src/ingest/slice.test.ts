import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessItem, Destination, ReadOutcome, Source, WriteItem } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { defaultNodes, plan } from '../pipeline/nodes.ts'
import { type Runner, runnerOf } from '../pipeline/runner.ts'
import { compare } from './compare.ts'
import { stateHash } from './data-source.ts'
import { workSlice } from './slice.ts'
import type { DocumentOutcome, DocumentTask, SliceContext } from './slice-context.ts'

const { signal } = new AbortController()

test('where the embedder fails, what is in the index of a page still gets the rights of now', async () => {
  const before = entry(ref('class:all-licensed-users'))
  const now = ref('user:ann')
  const carried: AccessItem[] = []
  const noted: string[] = []
  const reported: DocumentOutcome[] = []
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
      settingsHash: 'settings',
      runner: runnerOf(plan(defaultNodes()), {
        dims: 384,
        embed: () => Promise.reject(new AppError('embedder_failed', 'the model broke')),
      }),
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

test('a document that cannot be read for what it is leaves the index and is remembered with its reason', async () => {
  const stage = worked(({ ref: each }) => ({
    ref: each,
    error: new AppError('document_unsupported', 'reading film.mp4: it is video/mp4'),
  }))
  stage.ledger.set('w/1', entry(ref('user:ann')))
  await stage.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.deepEqual(stage.steps, [
    'ask whether to go on',
    'note w/1 with e, not settled',
    'remove w/1 e',
    'note w/1 with nothing, settled',
    'say skipped',
  ])
  const kept = stage.ledger.get('w/1')
  assert.equal(kept?.skipped?.message, 'reading film.mp4: it is video/mp4')
  const settings = { settingsHash: 'settings', reprocessAll: false }
  assert.equal(compare(ref('user:ben'), kept, settings), 'skipped')
  assert.equal(compare({ ...ref('user:ann'), version: '3' }, kept, settings), 'changed')
})

test('where nothing of it is in the index, it is remembered without a word to the index', async () => {
  const stage = worked(({ ref: each }) => ({
    ref: each,
    error: new AppError('file_too_large', 'reading disk.iso: 700 MB'),
  }))
  await stage.run({ ref: ref('user:ann'), kind: 'new' })
  assert.deepEqual(stage.steps, ['ask whether to go on', 'note w/1 with nothing, settled', 'say skipped'])
  assert.equal(stage.ledger.get('w/1')?.version, '2')
})

test('a file that no partitioner takes is skipped as well, and one that was skipped can come in later', async () => {
  const film = worked(({ ref: each }) => file(each, 'video/mp4', new Uint8Array([0, 0, 0])))
  await film.run({ ref: ref('user:ann'), kind: 'new' })
  assert.equal(film.ledger.get('w/1')?.skipped?.code, 'document_unsupported')

  const text = worked(({ ref: each }) => file(each, 'text/plain', Buffer.from('Words at last.')))
  text.ledger.set('w/1', film.ledger.get('w/1') as Entry)
  await text.run({ ref: { ...ref('user:ann'), version: '3' }, kind: 'changed' })
  assert.equal(text.ledger.get('w/1')?.skipped, undefined)
  assert.deepEqual(
    text.written.map(({ element }) => element.text),
    ['Words at last.'],
  )
})

test('where its removal fails, the ledger still knows what may be in the index', async () => {
  const stage = worked(({ ref: each }) => ({ ref: each, error: new AppError('file_too_large', 'too large') }))
  stage.ledger.set('w/1', entry(ref('user:ann')))
  stage.failing = new AppError('destination_unreachable', 'the index is away')
  await assert.rejects(stage.run({ ref: ref('user:ann'), kind: 'changed' }), /the index is away/)
  const { elementIds, settled } = stage.ledger.get('w/1') as Entry
  assert.deepEqual({ elementIds, settled }, { elementIds: ['e'], settled: false })
})

test('a document that lacks a part for now is worked again in the next run', async () => {
  let incomplete: { incomplete?: true } = { incomplete: true }
  const page = ({ ref: each }: DocumentTask): ReadOutcome => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Mine.</p>' }
    return { ref: each, document: { ...document, ...incomplete } }
  }
  const stage = worked(page)
  await stage.run({ ref: ref('user:ann'), kind: 'new' })
  const settings = { settingsHash: 'settings', reprocessAll: false }
  assert.equal(compare(ref('user:ann'), stage.ledger.get('w/1'), settings), 'changed')
  assert.equal(stage.ledger.get('w/1')?.version, '2')
  incomplete = {}
  await stage.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.equal(compare(ref('user:ann'), stage.ledger.get('w/1'), settings), 'unchanged')

  const before = { ...(stage.ledger.get('w/1') as Entry), version: '2 revisit' }
  assert.equal(compare(ref('user:ann'), before, settings), 'changed', 'as older releases noted it')
})

test('a document whose descriptions a model could not give is written without them and asked for again', async () => {
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
  const stage = worked(
    page,
    runnerOf({ ...enriched, enrich: [...enriched.enrich] }, null, { models: { find: () => model } }),
  )
  const settings = { settingsHash: 'settings', reprocessAll: false }
  await stage.run({ ref: ref('user:ann'), kind: 'new' })
  assert.equal(stage.written.length, 1)
  assert.match(JSON.stringify(stage.reported), /"state":"new".*"code":"enrichment_failed","count":2/)
  assert.equal(compare(ref('user:ann'), stage.ledger.get('w/1'), settings), 'changed')

  answer = '{"items":[{"entity":"Ada","type":"PERSON"}]}'
  await stage.run({ ref: ref('user:ann'), kind: 'changed' })
  assert.equal(stage.written[1]?.element.metadata.entities?.items[0]?.entity, 'Ada')
  assert.equal(stage.written[1]?.element.element_id, stage.written[0]?.element.element_id)
  assert.equal(compare(ref('user:ann'), stage.ledger.get('w/1'), settings), 'unchanged')
})

test('what waited too long for its text is listed again instead of written with the rights of then', async () => {
  const page = ({ ref: each }: DocumentTask): ReadOutcome => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: '<p>Late.</p>' }
    return { ref: each, document }
  }
  const stage = worked(page)
  await stage.run({ ref: ref('user:ann'), kind: 'new', until: new Date(Date.now() - 1) })
  assert.deepEqual([stage.written, stage.steps], [[], ['say again']])
})

test('what an embedder kept waiting too long is listed again as well', async () => {
  const until = new Date(Date.now() + 30)
  const slow = {
    dims: 1,
    embed: async (texts: string[]) => {
      while (Date.now() <= until.getTime()) await new Promise((resolve) => setTimeout(resolve, 5))
      return texts.map(() => [1])
    },
  }
  const stage = worked(textOf('Slow.'), runnerOf(plan(defaultNodes()), slow))
  await stage.run({ ref: ref('user:ann'), kind: 'new', until })
  assert.deepEqual([stage.written, stage.steps], [[], ['say again']])
})

test('a text that the embedder does not take fails its document alone', async () => {
  const picky = {
    dims: 1,
    embed: async (texts: string[]) => {
      if (texts.some((text) => text.includes('poison')))
        throw new AppError('embedder_failed', 'it is no number')
      return texts.map(() => [1])
    },
  }
  const said = (each: DocumentRef) => (each.recordId === 'w/2' ? 'poison' : 'water')
  const stage = worked((task) => textOf(said(task.ref))(task), runnerOf(plan(defaultNodes()), picky))
  const tasks = ['w/1', 'w/2', 'w/3'].map((recordId): DocumentTask => {
    return { ref: { ...ref('user:ann'), recordId }, kind: 'new' }
  })
  await stage.run(...tasks)
  assert.deepEqual(
    stage.written.map(({ recordId }) => recordId),
    ['w/1', 'w/3'],
  )
  assert.deepEqual(stage.reported.map(({ recordId, state }) => `${recordId} ${state}`).sort(), [
    'w/1 new',
    'w/2 failed',
    'w/3 new',
  ])
})

function textOf(text: string): (task: DocumentTask) => ReadOutcome {
  return ({ ref: each }) => {
    const document = { ref: each, version: each.version, filetype: 'text/html', body: `<p>${text}</p>` }
    return { ref: each, document }
  }
}

test('what could not be taken along is said with the document, and a picture without words is written', async () => {
  const warnings = [{ code: 'images_missing', count: 2, message: 'cat.png is gone' }]
  const stage = worked(({ ref: each }) => {
    const body = '<p>See.</p><img src="data:image/png;base64,AAAA">'
    return { ref: each, document: { ref: each, version: '2', filetype: 'text/html', body, warnings } }
  })
  await stage.run({ ref: ref('user:ann'), kind: 'new' })
  assert.deepEqual(stage.reported, [{ recordId: 'w/1', state: 'new', elements: 2, warnings }])
  const [words, picture] = stage.written.map(({ element }) => element)
  assert.equal(words?.embeddings?.length, 1)
  assert.equal(picture?.type, 'Image')
  assert.equal(picture?.metadata.image_base64, 'AAAA')
  assert.equal(picture && 'embeddings' in picture, false)
})

function file(of: DocumentRef, filetype: string, body: Uint8Array): ReadOutcome {
  return { ref: of, document: { ref: of, version: of.version, filetype, body } }
}

/** A slice with a source that answers each task so, and a ledger and an index that keep what comes. */
const plainRunner = runnerOf(plan(defaultNodes()), {
  dims: 1,
  embed: async (texts) => texts.map(() => [1]),
})

function worked(read: (task: DocumentTask) => ReadOutcome, runner: Runner = plainRunner) {
  const steps: string[] = []
  const ledger = new Map<string, Entry>()
  const written: WriteItem[] = []
  const carried: AccessItem[] = []
  const reported: DocumentOutcome[] = []
  const note = async (entries: Entry[]) => {
    for (const each of entries) {
      const { recordId, elementIds, settled } = each
      steps.push(`note ${recordId} with ${elementIds.join() || 'nothing'}, ${settled ? '' : 'not '}settled`)
      ledger.set(recordId, each)
    }
  }
  const stage = {
    steps,
    ledger,
    written,
    carried,
    reported,
    failing: null as AppError | null,
    async run(...tasks: DocumentTask[]) {
      const works: SliceContext = {
        // Only what a slice asks of each is here.
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
            carried.push(...items)
            return []
          },
          remove: async (elements: { recordId: string; elementIds: string[] }[]) => {
            if (stage.failing) throw stage.failing
            for (const { recordId, elementIds } of elements)
              steps.push(`remove ${recordId} ${elementIds.join()}`)
          },
        } as unknown as Destination,
        ledger: {
          fence: 1,
          find: async () => new Map(ledger),
          intend: note,
          settle: note,
          forget: async (recordIds) => recordIds.forEach((id) => void ledger.delete(id)),
        },
        settingsHash: 'settings',
        runner,
        beforeWrite: async () => void steps.push('ask whether to go on'),
        report: async (outcomes) => {
          for (const outcome of outcomes) steps.push(`say ${outcome.state}`)
          reported.push(...outcomes)
        },
      }
      await workSlice(tasks, works, signal)
    },
  }
  return stage
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
    ownText: true,
  }
}
