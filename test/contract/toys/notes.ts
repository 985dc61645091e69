import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { otherSiteError } from '../../../src/connectors/own-site.ts'
import type { ListingPage, Source } from '../../../src/connectors/source.ts'
import type { SourceType, WithCapabilities } from '../../../src/connectors/type.ts'
import type { DocumentRef } from '../../../src/document.ts'
import { AppError } from '../../../src/errors.ts'
import { clauses, type Directory, flatten } from '../../../src/permissions/algebra.ts'
import {
  ANONYMOUS,
  type AnyOf,
  anyOf,
  siteNaming,
  toPrincipals,
} from '../../../src/permissions/principals.ts'

/** The system: a JSON file of notebooks with notes. */
export type NotesFile = {
  site: string
  token: string
  people: { id: string; name: string; groups: string[]; active: boolean }[]
  notebooks: { key: string; name: string; readers: Readers; notes: Note[] }[]
}
export type Note = { id: string; version: number; title: string; text: string; readers?: Readers }
/** A note without readers has those of its notebook; `everyone` includes visitors. */
export type Readers = { users?: string[]; groups?: string[]; everyone?: boolean }

const config = z.strictObject({
  path: z
    .string()
    .min(1)
    .meta({
      title: 'File of notes',
      description: 'The JSON file with the notebooks.',
      examples: ['/srv/notes.json'],
      widget: 'path',
    }),
  token: z.string().min(1).meta({
    title: 'Token',
    description: 'The token that the file requires.',
    secret: true,
  }),
  notebooks: z.array(z.string()).default([]).meta({
    title: 'Notebooks',
    description: 'Keys of the notebooks to read. None means all.',
    widget: 'scopes',
  }),
})
type Config = z.output<typeof config>

export const notes: SourceType = {
  kind: 'source',
  type: 'notes',
  aliases: [],
  title: 'Notes',
  about: 'Notes of a JSON file, with the readers of each notebook and note.',
  icon: 'notes',
  docs: 'docs/connector-contract.md',
  terms: { system: 'notes file', scope: 'notebook', document: 'note' },
  jobExample: `path: /srv/notes.json\ntoken: \${NOTES_TOKEN}`,
  capabilities: ['relist', 'people', 'levels', 'scopes'],
  schema: config,
  identity: ({ path }: Config) => resolve(path),
  locationFields: ['path'],
  fieldAliases: {},
  addressFields: ['path'],
  refuse: () => [],
  open: async (settings: Config) => openNotes(settings),
}

export function openNotes({
  path,
  token,
  notebooks,
}: Config): WithCapabilities<Source, 'relist' | 'people' | 'levels' | 'scopes'> {
  const read = async (): Promise<NotesFile> => {
    const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      throw new AppError('source_unreachable', `reading ${path}: ${cause.code}`, { cause })
    })
    const file = JSON.parse(text) as NotesFile
    if (file.token === token) return file
    throw new AppError('source_unauthorized', `reading ${path}: the token is wrong`, {
      fix: 'Copy the token from the file',
    })
  }
  const selected = (file: NotesFile) =>
    file.notebooks.filter(({ key }) => notebooks.length === 0 || notebooks.includes(key))

  return {
    rendition: '',
    async check() {
      const error = await read().then(
        () => null,
        (thrown: AppError) => thrown,
      )
      const step = { name: 'file', detail: error?.message ?? `${path} can be read` }
      const fix = error?.fix ? { fix: error.fix } : {}
      return error
        ? { ok: false, reason: error.message, steps: [{ ...step, status: 'failed', ...fix }] }
        : { ok: true, reason: null, steps: [{ ...step, status: 'ok' }] }
    },
    async *list(signal): AsyncIterable<ListingPage> {
      const asOf = new Date()
      const file = await read()
      for (const notebook of selected(file)) {
        signal.throwIfAborted()
        const refs = notebook.notes.map((note) => refOf(file, notebook, note))
        const ascending = refs.toSorted((a, b) => (a.position < b.position ? -1 : 1))
        yield { kind: 'refs', scope: notebook.key, refs: ascending, asOf }
        yield { kind: 'end', scope: notebook.key }
      }
      signal.throwIfAborted()
      yield { kind: 'complete' }
    },
    async *read(refs) {
      const file = await read()
      for (const ref of refs) {
        const { note } = find(file, ref.locator) ?? {}
        const error = otherSiteError(ref, file.site)
        if (error) yield { ref, error }
        else if (!note) {
          yield { ref, error: new AppError('document_gone', `reading note ${ref.recordId}: it is gone`) }
        } else if (String(note.version) !== ref.version) yield { ref, relist: true }
        else {
          const body = `<h1>${escapeHtml(note.title)}</h1><p>${escapeHtml(note.text)}</p>`
          yield { ref, document: { ref, version: ref.version, filetype: 'text/html', body } }
        }
      }
    },
    async relist(documents) {
      const asOf = new Date()
      const file = await read()
      const refs = selected(file).flatMap((notebook) =>
        notebook.notes.map((note) => refOf(file, notebook, note)),
      )
      const wanted = new Set(documents.map(({ recordId }) => recordId))
      return { refs: refs.filter(({ recordId }) => wanted.has(recordId)), asOf }
    },
    async site() {
      const { site } = await read()
      return { name: site, naming: siteNaming(site, 'per site') }
    },
    people: {
      async find(text) {
        const start = text.toLowerCase()
        const found = (await read()).people.filter(
          ({ id, name }) => id === text || name.toLowerCase().startsWith(start),
        )
        return found.slice(0, 20).map(({ id, name }) => ({ id, name }))
      },
      async groupsOf(user) {
        const person = (await read()).people.find(({ id }) => id === user)
        if (!person) return { account: 'unknown', groups: [], classes: [ANONYMOUS] }
        if (!person.active) return { account: 'inactive', groups: [], classes: [] }
        return { account: 'known', groups: person.groups, classes: [ANONYMOUS] }
      },
    },
    async levels({ recordId, locator }) {
      const asOf = new Date()
      const file = await read()
      const { notebook, note } = find(file, locator) ?? {}
      const error = otherSiteError({ recordId }, file.site)
      if (error) throw error
      if (!notebook || !note) throw new AppError('document_gone', `reading note ${recordId}: it is gone`)
      const { key, name, readers } = notebook
      const own = note.readers ? levelOf(note.readers) : null
      return [
        { level: 'space', id: key, title: name, asOf, who: levelOf(readers) },
        { level: 'page', id: note.id, title: note.title, asOf, who: own },
      ]
    },
    scopes: async () => (await read()).notebooks.map(({ key, name }) => ({ key, name })),
    close: async () => {},
  }
}

type Notebook = NotesFile['notebooks'][number]

function find(file: NotesFile, { space_key: key, id }: Record<string, string>) {
  const notebook = file.notebooks.find((each) => each.key === key)
  const note = notebook?.notes.find((each) => each.id === id)
  return notebook && note ? { notebook, note } : undefined
}

function refOf(file: NotesFile, { key, name, readers }: Notebook, note: Note): DocumentRef {
  const levels = [levelOf(readers), ...(note.readers ? [levelOf(note.readers)] : [])]
  const directory = directoryOf(file)
  const none = { users: [], groups: [] }
  return {
    recordId: `${file.site}/${key}-${note.id}`,
    scope: key,
    position: note.id,
    version: String(note.version),
    title: note.title,
    url: `https://${file.site}/${key}/${note.id}`,
    locator: { space_key: key, id: note.id },
    filename: `${key}-${note.id}.html`,
    ...{ createdAt: null, modifiedAt: null, author: null },
    scopeName: name,
    ...{ labels: [], ancestors: [] },
    access: {
      permissions: [
        { read: toPrincipals(flatten(levels, directory).who) },
        { update: none },
        { delete: none },
      ],
      clauses: clauses(levels, directory),
    },
  }
}

/** Readers that are not named have no access. */
function levelOf({ users, groups, everyone }: Readers): AnyOf {
  return anyOf(users, groups, everyone ? [ANONYMOUS] : [])
}

function directoryOf({ site, people }: NotesFile): Directory {
  const active = people.filter((person) => person.active)
  return {
    naming: siteNaming(site, 'per site'),
    members: (group) => new Set(active.filter(({ groups }) => groups.includes(group)).map(({ id }) => id)),
    inClass: () => undefined,
    isIgnored: (user) => people.some(({ id, active }) => id === user && !active),
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
