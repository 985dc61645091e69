import type { Compute } from '../../../compute.ts'
import { AppError } from '../../../errors.ts'
import type { DecisionStore } from '../../type.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import { fetchInBatches } from '../batches.ts'
import type { FileInfo, PageInfo, Space, StorageBody, WikiClient } from '../client.ts'
import { createBodyBatches } from '../content/body-batches.ts'
import { fileReferences, matchesFile } from '../content/file-references.ts'
import { KeptReferences } from './kept-references.ts'

export type EmbeddedFiles = ReturnType<typeof createEmbeddedFiles>

export type EmbeddedContext = {
  client: WikiClient
  store?: DecisionStore | undefined
  compute?: Compute | undefined
  /** The caller adds no document, so no body is read. */
  permissionsOnly?: boolean | undefined
}

/** Which files of the pages of a space a body shows or links to. */
export function createEmbeddedFiles(
  { client, store, compute, permissionsOnly }: EmbeddedContext,
  space: Space,
) {
  const kept = new KeptReferences(store, { site: client.site.name, space })
  const batches = createBodyBatches()

  /** Reads the bodies of pages that changed since they were read for this. Returns the pages it could not read. */
  async function load(pages: PageInfo[], signal: AbortSignal): Promise<Set<string>> {
    await kept.load()
    const changed = pages.filter(({ id, version }) => kept.versionOf(id) !== version)
    const unread = new Set(changed.map(({ id }) => id))
    for (let at = 0; !permissionsOnly && at < changed.length; ) {
      const batch = changed.slice(at, at + batches.size())
      at += batch.length
      const bodies = await readBodies(batch, signal)
      batches.add(bodies.map(({ storage }) => storage))
      for (const body of bodies) {
        const page = batch.find(({ id }) => id === body.id)
        if (page && (await keep(body, page, signal)) && !isOlder(body, page)) unread.delete(body.id)
      }
      await kept.save({ isWhole: false })
    }
    return unread
  }

  /** Some may be missing. */
  async function readBodies(pages: PageInfo[], signal: AbortSignal): Promise<StorageBody[]> {
    const found: StorageBody[] = []
    for (const [kind, ofKind] of Map.groupBy(pages, (page) => page.kind)) {
      const fetch = (ids: string[]) => client.bodies(ids, kind, signal)
      const ids = ofKind.map(({ id }) => id)
      found.push(...(await fetchInBatches(ids, { size: client.bodiesPerRequest, minSize: 1, fetch })))
    }
    const read = new Map(found.map((body) => [body.id, body]))
    const isOutdated = (page: PageInfo) => !read.has(page.id) || isOlder(read.get(page.id)!, page)
    const again = pages
      .filter(isOutdated)
      .map(({ id, kind }) => client.body({ id, type: kind }, signal).catch(undefinedUnlessFatal))
    for (const body of await Promise.all(again)) if (body) read.set(body.id, body)
    return [...read.values()]
  }

  async function keep(body: StorageBody, { title }: PageInfo, signal: AbortSignal): Promise<boolean> {
    const page = { pageId: body.id, title, spaceKey: space.key, home: client.site.home }
    try {
      const references = await fileReferences({ storage: body.storage, page }, compute, signal)
      kept.put(body.id, body.version, references)
      return true
    } catch (error) {
      if (!(error instanceof AppError) || error.endsJob) throw error
      return false
    }
  }

  return {
    load,
    isEmbedded: ({ id, title }: PageInfo, file: FileInfo) => matchesFile(kept.namedOf({ id, title }), file),
    save: (options: { isWhole: boolean }) => kept.save(options),
  }
}

/** A cache of the wiki may return the body before an edit. */
function isOlder(body: StorageBody, { version }: PageInfo): boolean {
  return Number(body.version) < Number(version)
}
