import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, apiOf } from '../../world/api.ts'
import { migratedDatabase } from '../../world/postgres.ts'
import { type Millrace, type ServiceOptions, startMillrace } from '../../world/service.ts'
import type { NotesFile } from './notes.ts'

export const TOY_MAIN = join(import.meta.dirname, 'main.ts')
export const TOY_INGEST = join(import.meta.dirname, 'ingest.ts')
export const NOTES_TOKEN = 'the-token-of-the-notes'

/** A folder with a notes file and space for a shelf. */
export type ToyFiles = AsyncDisposable & {
  folder: string
  source: { path: string; token: string }
  destination: { path: string }
  change(work: (file: NotesFile) => void): Promise<void>
}
/** The same with a service that has the toys. */
export type ToyWorld = ToyFiles & { millrace: Millrace; api: Api }

export async function openToyFiles(): Promise<ToyFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'toys-'))
  const path = join(folder, 'notes.json')
  const file = sampleNotes()
  await writeFile(path, JSON.stringify(file))
  return {
    folder,
    source: { path, token: NOTES_TOKEN },
    destination: { path: join(folder, 'shelf.json') },
    async change(work) {
      work(file)
      await writeFile(path, JSON.stringify(file))
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export async function openToyWorld({ env = {} }: Pick<ServiceOptions, 'env'> = {}): Promise<ToyWorld> {
  const files = await openToyFiles()
  const database = await migratedDatabase()
  const millrace = await startMillrace({ databaseUrl: database.url, main: TOY_MAIN, env })
  return {
    ...files,
    millrace,
    api: apiOf(millrace.url ?? ''),
    async [Symbol.asyncDispose]() {
      await millrace.end('SIGTERM')
      await database.drop()
      await files[Symbol.asyncDispose]()
    },
  }
}

/** Two notebooks: Ann reads everything, Ben what the millers may read, visitors the open note. */
function sampleNotes(): NotesFile {
  const note = (id: string, text: string) => ({ id, version: 1, title: `Note ${id}`, text })
  return {
    site: 'notes.example',
    token: NOTES_TOKEN,
    people: [
      { id: 'ann', name: 'Ann Archer', groups: ['millers', 'bakers'], active: true },
      { id: 'ben', name: 'Ben Brook', groups: ['millers'], active: true },
      { id: 'eve', name: 'Eve East', groups: ['bakers'], active: false },
    ],
    notebooks: [
      {
        key: 'mill',
        name: 'The mill',
        readers: { groups: ['millers'] },
        notes: [
          note('1', 'The wheel turns.'),
          { ...note('2', 'The wheel is worn.'), readers: { users: ['ann'] } },
        ],
      },
      {
        key: 'shop',
        name: 'The shop',
        readers: { everyone: true },
        notes: [
          note('1', 'The wheel of cheese is sold.'),
          { ...note('2', 'The wheel of the cart is broken.'), readers: { groups: ['bakers'] } },
        ],
      },
    ],
  }
}
