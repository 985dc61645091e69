import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { siteNaming } from '../../permissions/principals.ts'
import { siteOfRecord } from '../../record-id.ts'
import { otherSiteError } from '../own-site.ts'
import type { KnownDocument, ListingPage, ReadOutcome, Source } from '../source.ts'
import type { SourceCapability, WithCapabilities } from '../type.ts'
import { checkFile, missingSpaces } from './check.ts'
import { SAMPLE_URL, type SampleConfig } from './config.ts'
import type { SampleFile, SamplePage } from './file.ts'
import { samplePeople } from './people.ts'
import { accessOfPage, directoryOf, mayDo, type PlacedPage, SITE, shownLevels } from './permissions.ts'

export type SampleSource = WithCapabilities<Source, SourceCapability>

/** Reads the pages of the file, with the permissions of its spaces and restrictions. */
export function openSample({ spaces: keys }: Pick<SampleConfig, 'spaces'>, file: SampleFile): SampleSource {
  const directory = directoryOf(file)
  const isSelected = (key: string) => keys.length === 0 || keys.includes(key)
  const { placedIn, find, require } = placedPages(file, isSelected)
  const refOf = (placed: PlacedPage): DocumentRef => toRef(placed, accessOfPage(placed, directory))

  function read(ref: DocumentRef): ReadOutcome {
    try {
      const { page } = require(ref)
      // Its permissions may be newer too.
      if (page.version !== ref.version) return { ref, relist: true }
      return { ref, document: { ref, version: page.version, filetype: 'text/html', body: page.body } }
    } catch (error) {
      if (error instanceof AppError) return { ref, error }
      throw error
    }
  }

  return {
    rendition: 'sample-2',
    check: async () => checkFile(file, keys),
    async *list(signal, from): AsyncIterable<ListingPage> {
      const missing = missingSpaces(file, keys)
      if (missing) throw new AppError('source_space_missing', missing.detail, { fix: missing.fix })
      for (const { key } of file.spaces.filter((space) => isSelected(space.key))) {
        signal.throwIfAborted()
        if (from?.ended.has(key)) continue
        const asOf = new Date()
        yield { kind: 'refs', scope: key, refs: placedIn(key).map(refOf), asOf }
        yield { kind: 'end', scope: key }
      }
      signal.throwIfAborted()
      yield { kind: 'complete' }
    },
    async *read(refs) {
      for (const ref of refs) yield read(ref)
    },
    site: async () => ({ name: SITE, naming: siteNaming(SITE, 'global') }),
    relist: async (documents) => {
      const asOf = new Date()
      return { asOf, refs: documents.flatMap((document) => find(document) ?? []).map(refOf) }
    },
    locate: async (documents) => {
      const ours = documents.filter((document) => !otherSiteError(document, SITE))
      return new Map(
        ours.map((document) => {
          const page = find(document)?.page
          return [document.recordId, page ? { scope: page.space, position: positionOf(page) } : null]
        }),
      )
    },
    people: samplePeople(file, directory),
    emails: async () => file.people.map(({ id, name, email }) => ({ account: id, name, email })),
    ownAccount: async () => ({ id: file.self, name: directory.names.get(file.self) ?? null }),
    levels: async (document) => shownLevels(require(document)),
    checkPermission: async ({ document, ...question }) => mayDo(require(document), question, directory),
    readVersion: async (ref, version) => {
      const { page } = require(ref)
      if (page.version !== version) gone(`the sample has no version ${version} of page ${page.id}`)
      return { ref, version, filetype: 'text/html', body: page.body }
    },
    scopes: async () => file.spaces.map(({ key, name }) => ({ key, name, documents: placedIn(key).length })),
    close: async () => {},
  }
}

/** The pages with their spaces and the pages above them; `find` sees the selected spaces alone. */
function placedPages(file: SampleFile, isSelected: (space: string) => boolean) {
  function place(page: SamplePage): PlacedPage {
    const space = file.spaces.find(({ key }) => key === page.space)
    if (!space) throw new AppError('source_misread', `page ${page.id} is in no space of the sample`)
    return { page, space, ancestors: above(page) }
  }

  /** A page that is missing could have been restricted. */
  function above({ id, parent }: SamplePage): SamplePage[] {
    if (parent === undefined) return []
    const page = pageOf(parent)
    if (!page) throw new AppError('source_misread', `page ${parent} above page ${id} is not in the sample`)
    return [...above(page), page]
  }

  function pageOf(id: string): SamplePage | undefined {
    return file.pages.find((page) => page.id === id)
  }

  function find({ recordId }: Pick<KnownDocument, 'recordId'>): PlacedPage | null {
    if (siteOfRecord(recordId) !== SITE) return null
    const page = pageOf(recordId.slice(SITE.length + 1))
    return page && isSelected(page.space) ? place(page) : null
  }

  function require(document: Pick<KnownDocument, 'recordId'>): PlacedPage {
    const error = otherSiteError(document, SITE)
    if (error) throw error
    return find(document) ?? gone(`${document.recordId} is not a page of the sample`)
  }

  return {
    find,
    require,
    placedIn: (key: string) => file.pages.filter(({ space }) => space === key).map(place),
  }
}

function toRef({ page, space, ancestors }: PlacedPage, access: DocumentRef['access']): DocumentRef {
  const { id, title, version, createdAt, modifiedAt, author, labels } = page
  const slug = encodeURIComponent(title).replaceAll('%20', '+')
  return {
    recordId: `${SITE}/${id}`,
    scope: space.key,
    position: positionOf(page),
    version,
    title,
    createdAt,
    modifiedAt,
    author,
    labels,
    access,
    url: `${SAMPLE_URL}/wiki/spaces/${space.key}/pages/${id}/${slug}`,
    locator: { space_key: space.key, page_id: id },
    filename: `${id}.html`,
    scopeName: space.name,
    ancestors: ancestors.map((each) => ({ id: each.id, title: each.title })),
  }
}

/** Ids have different lengths, and positions ascend as text. */
function positionOf({ id }: SamplePage): string {
  return id.padStart(20, '0')
}

function gone(what: string): never {
  throw new AppError('document_gone', what)
}
