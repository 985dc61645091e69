import { randomUUID } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type {
  DataSource,
  Destination,
  DocumentElements,
  Rejection,
} from '../../../src/connectors/destination.ts'
import type { FacetValues, SearchElement, SearchFilters } from '../../../src/connectors/search.ts'
import type { DestinationType, WithCapabilities } from '../../../src/connectors/type.ts'
import type { Element } from '../../../src/document.ts'
import { AppError } from '../../../src/errors.ts'

/** The system: one JSON file of elements, by record id and element id. */
type Shelf = { identity: string; elements: Record<string, StoredElement> }
type StoredElement = { recordId: string; fence: number; element: Element; dataSource: DataSource }

const config = z.strictObject({
  path: z
    .string()
    .min(1)
    .meta({
      title: 'File of elements',
      description: 'The JSON file for the elements. Created if it is missing.',
      examples: ['/srv/shelf.json'],
      widget: 'path',
    }),
})
type Config = z.output<typeof config>

export const shelf: DestinationType = {
  kind: 'destination',
  type: 'shelf',
  aliases: [],
  title: 'Shelf',
  about: 'A JSON file of elements that can be searched.',
  icon: 'books',
  docs: 'docs/connector-contract.md',
  terms: { system: 'file system', scope: 'shelf', document: 'element' },
  jobExample: 'path: /srv/shelf.json',
  capabilities: ['search', 'inspect'],
  schema: config,
  identity: ({ path }: Config) => resolve(path),
  locationFields: ['path'],
  fieldAliases: {},
  addressFields: ['path'],
  refuse: () => [],
  open: async ({ path }: Config) => openShelf(resolve(path)),
}

export function openShelf(path: string): WithCapabilities<Destination, 'search' | 'inspect'> {
  const change = <T>(work: (file: Shelf) => T): Promise<T> =>
    oneAtATime(path, async () => {
      const file = await read(path)
      const result = work(file)
      await writeFile(`${path}.new`, JSON.stringify(file))
      await rename(`${path}.new`, path)
      return result
    })

  return {
    async check() {
      const folder = await stat(dirname(path)).catch(() => null)
      const detail = folder ? `${path} can be written` : `${dirname(path)} does not exist`
      return folder
        ? { ok: true, reason: null, steps: [{ name: 'folder', status: 'ok', detail }] }
        : {
            ok: false,
            reason: detail,
            steps: [{ name: 'folder', status: 'failed', detail, fix: 'Create the folder' }],
          }
    },
    prepare: () => change(({ identity }) => ({ identity })),
    write: (items, fence) =>
      change(({ elements }) =>
        items.flatMap(({ recordId, element, dataSource }): Rejection[] => {
          const key = keyOf(recordId, element.element_id)
          if ((elements[key]?.fence ?? 0) > fence)
            return [rejection(recordId, element.element_id, 'superseded')]
          elements[key] = { recordId, fence, element, dataSource }
          return []
        }),
      ),
    updateAccess: (items, fence) =>
      change(({ elements }) =>
        items.flatMap(({ dataSource, ...document }) =>
          keysOf(document).flatMap(([elementId, key]): Rejection[] => {
            const stored = elements[key]
            if (!stored) return [rejection(document.recordId, elementId, 'missing')]
            if (stored.fence > fence) return [rejection(document.recordId, elementId, 'superseded')]
            elements[key] = { ...stored, fence, dataSource }
            return []
          }),
        ),
      ),
    remove: (documents, fence) =>
      change(({ elements }) => {
        for (const [, key] of documents.flatMap(keysOf)) {
          const stored = elements[key]
          if (stored && stored.fence <= fence) delete elements[key]
        }
      }),
    search: {
      async rank({ query, tokens, depth, filters = {}, facets }) {
        const words = query.toLowerCase()
        const found = Object.entries((await read(path)).elements).filter(
          ([, stored]) =>
            grants(stored.dataSource, new Set(tokens)) &&
            stored.element.text.toLowerCase().includes(words) &&
            passes(stored, filters),
        )
        const ranked = found.slice(0, depth).map(([key, stored]) => {
          const element = { key, record_id: stored.recordId, score: 1, ...pathOf(stored) }
          return facets ? { ...element, facets: valuesOf(stored) } : element
        })
        return { total: found.length, ranked }
      },
      async elements({ keys, tokens }) {
        const { elements } = await read(path)
        const readable = keys.flatMap((key): [string, SearchElement][] => {
          const stored = elements[key]
          const grantedBy = stored && grants(stored.dataSource, new Set(tokens))
          return grantedBy ? [[key, toSearchElement(stored, grantedBy)]] : []
        })
        return new Map(readable)
      },
      keyOf,
      dims: async () => null,
    },
    inspect: {
      async stored(documents) {
        const { elements } = await read(path)
        return documents.flatMap(keysOf).flatMap(([elementId, key]) => {
          const stored = elements[key]
          if (!stored) return []
          const { recordId, fence, dataSource } = stored
          return [{ recordId, elementId, fence, dataSource }]
        })
      },
      async *inventory() {
        const { elements } = await read(path)
        yield Object.values(elements).map(({ recordId, element, dataSource }) => ({
          recordId,
          elementId: element.element_id,
          scopeKey: scopeKeyOf(dataSource),
        }))
      },
    },
    close: async () => {},
  }
}

/** Every clause has to name one of the tokens; without `c0` no one may read. */
function grants(dataSource: DataSource, tokens: ReadonlySet<string>): string[] | null {
  const access = (dataSource.access ?? {}) as Record<string, string[]>
  const matches = Object.values(access).map((entries) => entries.filter((entry) => tokens.has(entry)))
  return access.c0 && matches.every((each) => each.length > 0) ? [...new Set(matches.flat())] : null
}

/** A shelf knows no ancestors and no dates: those filters match nothing. */
function passes(stored: StoredElement, { ancestors, created, modified, ...filters }: SearchFilters): boolean {
  if (ancestors || created || modified) return false
  const values: Record<string, string[]> = {
    ...valuesOf(stored),
    record_id: [stored.recordId],
    path_in_archive: Object.values(pathOf(stored)),
  }
  return Object.entries(filters).every(([name, wanted]) =>
    wanted.some((each) => values[name]?.includes(each)),
  )
}

/** Files of archives are found one by one. */
function pathOf({ element }: StoredElement): { path_in_archive?: string } {
  const { path_in_archive: path } = element.metadata
  return path === undefined ? {} : { path_in_archive: path }
}

function valuesOf({ element, dataSource }: StoredElement): FacetValues {
  const { labels, author } = dataSource
  return {
    space_key: [scopeKeyOf(dataSource)],
    labels: (labels ?? []) as string[],
    filetype: [element.metadata.filetype],
    author: [textOf(author) ?? []].flat(),
    modified: [],
  }
}

function toSearchElement(
  { recordId, element, dataSource }: StoredElement,
  grantedBy: string[],
): SearchElement {
  return {
    record_id: recordId,
    element_id: element.element_id,
    type: element.type,
    text: element.text,
    highlights: [],
    title: textOf(dataSource.title),
    url: textOf(dataSource.url),
    version: textOf(dataSource.version),
    date_modified: null,
    space_key: scopeKeyOf(dataSource),
    filetype: element.metadata.filetype,
    page_number: null,
    path_in_archive: element.metadata.path_in_archive ?? null,
    granted_by: grantedBy,
  }
}

function scopeKeyOf({ record_locator: locator }: DataSource): string {
  return (locator as { space_key?: string } | undefined)?.space_key ?? ''
}

function keysOf({ recordId, elementIds }: DocumentElements): [elementId: string, key: string][] {
  return elementIds.map((id) => [id, keyOf(recordId, id)])
}

function keyOf(recordId: string, elementId: string): string {
  return JSON.stringify([recordId, elementId])
}

function rejection(recordId: string, elementId: string, kind: Rejection['kind']): Rejection {
  const error = new AppError('destination_rejected', `writing ${elementId} of ${recordId}: ${kind}`)
  return { recordId, elementId, kind, error }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

async function read(path: string): Promise<Shelf> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null
    throw new AppError('destination_unreachable', `reading ${path}: ${cause.code}`, { cause })
  })
  return text === null ? { identity: randomUUID(), elements: {} } : (JSON.parse(text) as Shelf)
}

/** The last change of each file; the next one waits for it. */
const queues = new Map<string, Promise<unknown>>()

function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  const result = (queues.get(path) ?? Promise.resolve()).then(work)
  queues.set(
    path,
    result.catch(() => {}),
  )
  return result
}
