import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Refusal } from '../world/answers.ts'
import { finish, type JobResult, PLAIN_NODES, until } from '../world/flow.ts'
import type { World } from '../world/world.ts'
import { destinationContract } from './destination.ts'
import { sourceContract } from './source.ts'
import { notes, openNotes } from './toys/notes.ts'
import { openShelf, shelf } from './toys/shelf.ts'
import {
  NOTES_TOKEN,
  openToyFiles,
  openToyWorld,
  TOY_INGEST,
  type ToyFiles,
  type ToyWorld,
} from './toys/world.ts'

describe('the toy source is a source', () => {
  let files: ToyFiles
  before(async () => {
    files = await openToyFiles()
  })
  after(() => files[Symbol.asyncDispose]())
  sourceContract(notes, () => ({
    source: openNotes({ ...files.source, notebooks: [] }),
    deleteDocument: (recordId) =>
      files.change((file) => {
        for (const notebook of file.notebooks)
          notebook.notes = notebook.notes.filter(({ id }) => !recordId.endsWith(`/${notebook.key}-${id}`))
      }),
  }))
})

describe('the toy destination is a destination', () => {
  let files: ToyFiles
  before(async () => {
    files = await openToyFiles()
  })
  after(() => files[Symbol.asyncDispose]())
  destinationContract(shelf, () => ({
    destination: openShelf(files.destination.path),
    item: (recordId, elementId, readers) => ({
      recordId,
      element: {
        type: 'CompositeElement',
        element_id: elementId,
        text: `contract ${recordId} ${elementId}`,
        metadata: { filename: 'contract.html', filetype: 'text/html' },
      },
      dataSource: { title: recordId, url: 'https://notes.example/1', access: { c0: readers } },
    }),
    async read(recordId, elementId) {
      const [held] = await openShelf(files.destination.path).inspect.stored(
        [{ recordId, elementIds: [elementId] }],
        new AbortController().signal,
      )
      const text = (await readShelf(files))[JSON.stringify([recordId, elementId])]?.element.text
      return held && { text, metadata: { data_source: held.dataSource } }
    },
    refresh: async () => {},
  }))
})

describe('a service with the toys', () => {
  let world: ToyWorld
  let ids: { source: string; destination: string; workflow: string }
  const create = async (path: string, body: object) => {
    const { status, body: created, text } = await world.api.post<{ id: string }>(path, body)
    assert.equal(status, 200, text)
    return created.id
  }
  const run = async (): Promise<JobResult> => {
    const { status, body, text } = await world.api.post<{ id: string }>(`/workflows/${ids.workflow}/run`)
    assert.equal(status, 202, text)
    // Uses only the API of the world.
    return finish(world as unknown as World, body.id)
  }
  const search = async (as: object) => {
    const request = { query: 'wheel', as }
    const { status, body, text } = await world.api.post<{ hits: { record_id: string }[] }>(
      `/destinations/${ids.destination}/search`,
      request,
    )
    assert.equal(status, 200, text)
    return body.hits.map(({ record_id: id }) => id).sort()
  }
  before(async () => {
    world = await openToyWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  test('it lists the toys', async () => {
    const { body } = await world.api.get<Record<string, unknown>[]>('/connector-types')
    const toys = body.filter(({ type }) => type === 'notes' || type === 'shelf')
    assert.deepEqual(
      toys.map(({ kind, terms, capabilities }) => [kind, terms, capabilities]),
      [
        ['source', notes.terms, notes.capabilities],
        ['destination', shelf.terms, shelf.capabilities],
      ],
    )
  })

  test('it creates and checks toy connectors and hides their secrets', async () => {
    const source = await create('/sources', { name: 'Notes', type: 'notes', config: world.source })
    const destination = await create('/destinations', {
      name: 'Shelf',
      type: 'shelf',
      config: world.destination,
    })
    const { text } = await world.api.get(`/sources/${source}`)
    assert.ok(!text.includes(NOTES_TOKEN))
    for (const path of [`/sources/${source}`, `/destinations/${destination}`]) {
      await world.api.post(`${path}/connection-check`)
      assert.equal(await checkResult(path), 'SUCCESS')
    }
    const workflow = await create('/workflows', {
      name: 'Notes to shelf',
      workflow_type: 'custom',
      source_id: source,
      destination_id: destination,
      workflow_nodes: PLAIN_NODES,
    })
    ids = { source, destination, workflow }
  })

  test('it lists their scopes and previews their documents', async () => {
    const options = await world.api.post<{ spaces: { key: string }[] }>('/sources/options', {
      type: 'notes',
      config: world.source,
    })
    assert.deepEqual(
      options.body.spaces.map(({ key }) => key),
      ['mill', 'shop'],
    )
    const preview = await world.api.post<{ documents: { title: string; error: unknown }[] }>(
      `/workflows/${ids.workflow}/preview`,
      { limit: 1 },
    )
    assert.deepEqual(
      preview.body.documents.map(({ title, error }) => [title, error]),
      [['Note 1', null]],
    )
  })

  test('it runs a workflow and shows each person what they may read', async () => {
    const { status, details } = await run()
    assert.equal(status, 'COMPLETED', JSON.stringify(details))
    assert.deepEqual([details.counts.new, details.counts.failed], [4, 0])
    const all = ['mill-1', 'mill-2', 'shop-1', 'shop-2'].map((id) => `notes.example/${id}`)
    assert.deepEqual(await search({ user: 'ann' }), all)
    assert.deepEqual(await search({ user: 'ben' }), [all[0], all[2]])
    assert.deepEqual(await search({ user: 'stranger' }), [all[2]])
    assert.deepEqual(await search({ user: 'eve' }), [], 'an inactive account reads nothing')
    assert.deepEqual(await search({ groups: ['bakers'] }), [all[2], all[3]])
  })

  test('it finds people, explains access and verifies the destination', async () => {
    const path = `/destinations/${ids.destination}`
    const people = await world.api.get<{ people: { id: string }[] }>(`${path}/people?query=be`)
    assert.deepEqual(
      people.body.people.map(({ id }) => id),
      ['ben'],
    )
    const explained = await world.api.post<{ allowed: boolean; chain: { satisfied: boolean }[] }>(
      `${path}/explain`,
      { record_id: 'notes.example/mill-2', as: { user: 'ben' } },
    )
    assert.equal(explained.body.allowed, false)
    assert.deepEqual(
      explained.body.chain.map(({ satisfied }) => satisfied),
      [true, false],
    )
    const verdict = await world.api.post<{ ok: boolean; spaces: { space_key: string }[] }>(`${path}/verify`)
    assert.equal(verdict.body.ok, true, verdict.text)
    assert.deepEqual(
      verdict.body.spaces.map(({ space_key: key }) => key),
      ['mill', 'shop'],
    )
  })

  test('it applies changes, permissions and removals without locate', async () => {
    await world.change(({ notebooks: [mill, shop] }) => {
      Object.assign(mill?.notes[0] ?? {}, { version: 2, text: 'The wheel stopped.' })
      Object.assign(shop?.notes[0] ?? {}, { readers: { users: ['ann'] } })
      shop?.notes.pop()
    })
    const { details } = await run()
    const { changed, permissions_only, removed, unchanged } = details.counts
    assert.deepEqual(
      { changed, permissions_only, removed, unchanged },
      {
        ...{ changed: 2, permissions_only: 1, removed: 1, unchanged: 1 },
      },
    )
    assert.deepEqual(await search({ user: 'ben' }), ['notes.example/mill-1'])
    assert.deepEqual(await search({ user: 'stranger' }), [])
  })

  test('it distinguishes their targets', async () => {
    const workflow = (name: string, destination: string) => ({
      ...{ name, workflow_type: 'custom', source_id: ids.source, destination_id: destination },
      workflow_nodes: PLAIN_NODES,
    })
    const twice = await world.api.post<Refusal>('/workflows', workflow('Again', ids.destination))
    assert.equal(twice.status, 409, twice.text)
    const other = await create('/destinations', {
      name: 'Another shelf',
      type: 'shelf',
      config: { path: join(world.folder, 'other.json') },
    })
    await create('/workflows', workflow('Elsewhere', other))
    const third = await create('/destinations', {
      name: 'Third shelf',
      type: 'shelf',
      config: { path: join(world.folder, 'third.json') },
    })
    const swapping = { ...workflow('Swapping', third), swap_index: true }
    const refused = await world.api.post<Refusal>('/workflows', swapping)
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.text, /swap_index.*Shelf cannot be swapped/)
  })

  test('it repairs the destination and has no replaced indexes', async () => {
    const path = `/destinations/${ids.destination}`
    assert.deepEqual((await world.api.get(`${path}/generations`)).body, [])
    assert.equal((await world.api.delete(`${path}/generations/x`)).status, 404)
    const repaired = await world.api.post(`${path}/repair`)
    assert.equal(repaired.status, 202, repaired.text)
  })

  async function checkResult(path: string): Promise<string> {
    const read = async () => (await world.api.get<{ status: string }>(`${path}/connection-check`)).body.status
    return until(read, (status) => status !== 'SCHEDULED', 120)
  }
})

describe('the command line with the toys', () => {
  let files: ToyFiles
  before(async () => {
    files = await openToyFiles()
    const job = {
      source: { type: 'notes', config: { path: 'notes.json', token: `\${NOTES_TOKEN}` } },
      destination: { type: 'shelf', config: { path: 'shelf.json' } },
      nodes: [{ type: 'partition' }, { type: 'chunk' }],
    }
    await writeFile(join(files.folder, 'job.yaml'), JSON.stringify(job))
  })
  after(() => files[Symbol.asyncDispose]())

  async function ingest(...args: string[]): Promise<{ code: number; out: string }> {
    const child = spawn(process.execPath, [TOY_INGEST, ...args], {
      cwd: files.folder,
      env: { PATH: process.env.PATH, NOTES_TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text
      })
    const [code] = await once(child, 'close')
    return { code, out }
  }

  test('it lists their settings in its help', async () => {
    const { out } = await ingest('run', '--help')
    assert.match(out, /--source-notebooks <a,b,…>\n.*Only for notes/s)
    assert.match(out, /--destination-type[\s\S]*One of: .*shelf/)
    assert.match((await ingest('--help')).out, /Sources: .*Notes/)
  })

  test('it checks and runs a job, and a second run changes nothing', async () => {
    const check = await ingest('check', 'job.yaml')
    assert.equal(check.code, 0, check.out)
    const first = await ingest('run', 'job.yaml', '--json')
    assert.equal(first.code, 0, first.out)
    assert.equal(Object.keys(await readShelf(files)).length, 4)
    const second = await ingest('run', 'job.yaml', '--json')
    assert.match(second.out, /"unchanged":4/)
    assert.ok(![check, first, second].some(({ out }) => out.includes(NOTES_TOKEN)))
  })

  test('it refuses a state file of another target', async () => {
    const moved = await ingest('run', 'job.yaml', '--destination-path', 'another.json')
    assert.notEqual(moved.code, 0)
    assert.match(moved.out, /state/)
  })
})

async function readShelf(files: ToyFiles): Promise<Record<string, { element: { text: string } }>> {
  return JSON.parse(await readFile(files.destination.path, 'utf8')).elements
}
