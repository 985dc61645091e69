import { ANONYMOUS } from '../../access.ts'
import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import type {
  Context,
  GroupMembership,
  KnownDocument,
  ListingPage,
  ListingStart,
  Source,
  Warning,
  WithCapabilities,
} from '../connector.ts'
import { otherSiteError } from '../own-site.ts'
import { classesOf, isInactive } from './access/accounts.ts'
import { createDirectory } from './access/directory.ts'
import { pageLevels } from './access/levels.ts'
import { findWikiPeople, wikiNames } from './access/people.ts'
import { checkWiki } from './check.ts'
import type { Space, WikiClient } from './client.ts'
import { MAX_IMAGE_BYTES, trustOf, type WikiConfig } from './config.ts'
import { createBodyBatches } from './content/body-batches.ts'
import { createMentions } from './content/mentions.ts'
import { type PageReader, readPages } from './content/read-pages.ts'
import { readEarlierVersion } from './content/read-version.ts'
import { createListingRun, type ListedWiki, listSpace } from './listing/list-space.ts'
import { locateMissing } from './listing/locate-missing.ts'
import { pageIdOf } from './listing/refs.ts'
import { relistPages } from './listing/relist-pages.ts'
import { currentSpaces } from './listing/space-choices.ts'
import { type Selection, selectSpaces } from './listing/spaces.ts'
import { type OpenedWiki, openDeployment } from './open-deployment.ts'
import type { WikiOptions } from './open-options.ts'
import { joinPaces, sharePaces } from './transport/site-paces.ts'
import { isNotFound } from './transport/transport.ts'

/** Spaces that are loaded at the same time. */
const CONCURRENT_SPACES = 3

export type WikiSource = WithCapabilities<
  Source,
  'relist' | 'locate' | 'people' | 'emails' | 'self' | 'levels' | 'scopes' | 'permits' | 'readVersion'
>

export function openWiki(
  config: WikiConfig,
  { egress: givenEgress, maxWaitMs, share, sharedPace }: Context,
  options: WikiOptions = {},
): WikiSource {
  if (sharedPace) sharePaces(givenEgress, sharedPace)
  const trust = trustOf(config)
  const egress = trust ? givenEgress.trusting(trust) : givenEgress
  if (trust) joinPaces(givenEgress, egress)
  const fromContext = { ...(maxWaitMs ? { maxWaitMs } : {}), ...(share ? { share } : {}) }
  const openOptions = { config, egress, options: { ...fromContext, ...options } }
  const opened = cached((signal): Promise<OpenedWiki> => openDeployment(openOptions, signal))
  const selected = cached(async (signal): Promise<Selection> => {
    const { client } = await opened.get(signal)
    return selectSpaces(client, config, signal)
  })
  const client = async (signal: AbortSignal) => (await opened.get(signal)).client
  const clientOf = async (document: KnownDocument, signal: AbortSignal) => {
    const found = await client(signal)
    const error = otherSiteError(document, found.site.name)
    if (error) throw error
    return found
  }
  const reader = cached(async (signal): Promise<PageReader> => {
    const found = await client(signal)
    const images = { client: found, egress, maxImageBytes: config.max_image_bytes }
    return { config, images, mentions: createMentions(found), batches: createBodyBatches() }
  })

  return {
    rendition: renditionOf(config),
    check: (signal, onSteps = () => {}) => checkWiki(openOptions, onSteps, signal),
    list: async function* (signal, from) {
      selected.clear()
      const wiki = { client: await client(signal), config, batchSize: options.batchSize }
      yield* listWiki({ ...wiki, selected: selected.get, from }, signal)
    },
    read: async function* (refs, accepts, signal) {
      const found = await reader.get(signal).catch(asError)
      if (found instanceof AppError) for (const ref of refs) yield { ref, error: found }
      else {
        const ours: DocumentRef[] = []
        for (const ref of refs) {
          const error = otherSiteError(ref, found.images.client.site.name)
          if (error) yield { ref, error }
          else ours.push(ref)
        }
        yield* readPages(found, { refs: ours, accepts }, signal)
      }
    },
    relist: async (documents, signal) =>
      relistPages({ client: await client(signal), config }, documents, signal),
    locate: async (documents, signal) => {
      const { spaces } = await selected.get(signal)
      return locateMissing({ client: await client(signal), config, spaces }, documents, signal)
    },
    site: async (signal) => {
      const { site, naming } = await client(signal)
      return { name: site.name, naming }
    },
    people: {
      find: async (text, signal) => findWikiPeople(await client(signal), text, signal),
      groupsOf: async (user, signal) => groupsOf(await client(signal), user, signal),
      names: async (ids, signal) => wikiNames(await client(signal), { ...ids, cloud: config.cloud }, signal),
      directory: async (ids, signal) => {
        const directory = createDirectory(await client(signal))
        await directory.load(ids, signal)
        return directory
      },
    },
    emails: async (signal) => (await client(signal)).emails(signal),
    self: async (signal) => {
      const { id, name } = await (await client(signal)).me(signal)
      return { id, name }
    },
    levels: async (document, signal) =>
      pageLevels({ client: await clientOf(document, signal), config }, document, signal),
    permits: async ({ user, operation, document }, signal) => {
      const { permissionChecks } = await clientOf(document, signal)
      const subject = { kind: 'user' as const, id: user }
      return permissionChecks
        ? permissionChecks.permits({ pageId: pageIdOf(document), subject, operation }, signal)
        : null
    },
    readVersion: async (ref, version, signal) => {
      await clientOf(ref, signal)
      return readEarlierVersion(await reader.get(signal), { ref, version }, signal)
    },
    scopes: async (signal) => currentSpaces(await client(signal), signal),
    // Otherwise the egress owns the connections.
    close: async () => {
      if (trust) await egress.close()
    },
  }
}

/** `storage` means rendered from the storage format; earlier bodies held text of other pages. */
function renditionOf({ extract_images, max_image_bytes, include_comments }: WikiConfig): string {
  const isDefault = max_image_bytes === MAX_IMAGE_BYTES
  const images = extract_images ? `images${isDefault ? '' : `:${max_image_bytes}`}` : ''
  return ['storage', images, include_comments ? 'comments' : ''].filter((part) => part !== '').join('+')
}

function asError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

/** Loads a value once and caches it; a failure is not cached. */
function cached<T>(load: (signal: AbortSignal) => Promise<T>) {
  let value: Promise<T> | undefined
  const clear = () => {
    value = undefined
  }
  const get = async (signal: AbortSignal): Promise<T> => {
    const shared = value
    const loading = shared ?? load(signal)
    value = loading
    try {
      return await loading
    } catch (error) {
      if (value === loading) clear()
      // The first caller was cancelled, so this one loads it again.
      if (!shared || error instanceof AppError || signal.aborted) throw error
      return get(signal)
    }
  }
  return { get, clear }
}

type Listing = ListedWiki & {
  selected(signal: AbortSignal): Promise<Selection>
  from: ListingStart | undefined
}

async function* listWiki(
  { selected, from, ...wiki }: Listing,
  outer: AbortSignal,
): AsyncGenerator<ListingPage> {
  // Stops pending spaces when one fails or the consumer stops.
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  try {
    const { spaces, warnings } = await selected(signal)
    for (const warning of warnings) yield { kind: 'warning', warning }
    const run = createListingRun(wiki, signal)
    const unlisted = spaces.filter(({ key }) => !from?.ended.has(key))
    const pending: { space: Space; nextBatch: () => Promise<ListingPage[] | null> }[] = []
    const failures: AppError[] = []
    while (unlisted.length > 0 || pending.length > 0) {
      for (const space of unlisted.splice(0, CONCURRENT_SPACES - pending.length)) {
        const batches = listSpace(run, { space, after: from?.after.get(space.key) }, signal)
        pending.push({ space, nextBatch: readAhead(batches) })
      }
      const { space, nextBatch } = pending[0]!
      const outcome = await nextBatch().catch(errorUnlessFatal)
      if (outcome instanceof AppError) {
        // The other spaces are listed; this one has no `end`.
        failures.push(outcome)
        yield { kind: 'warning', warning: notListedWarning(space, outcome) }
      }
      if (outcome === null || outcome instanceof AppError) pending.shift()
      else
        for (const page of outcome) {
          // There is no request here that would stop on cancellation.
          outer.throwIfAborted()
          yield page
        }
    }
    outer.throwIfAborted()
    if (failures.length === spaces.length && failures[0]) throw failures[0]
    if (failures.length === 0) yield { kind: 'complete' }
  } finally {
    stop.abort()
  }
}

/** Loads one batch while the caller handles the one before; null after the last. */
function readAhead<T>(batches: AsyncGenerator<T>): () => Promise<T | null> {
  const load = () => {
    const batch = batches.next()
    batch.catch(() => {})
    return batch
  }
  let loading = load()
  return async () => {
    const { value, done } = await loading
    if (done) return null
    loading = load()
    return value
  }
}

function errorUnlessFatal(error: unknown): AppError {
  if (error instanceof AppError && !error.endsJob) return error
  throw error
}

function notListedWarning({ key, name }: Space, error: AppError): Warning {
  return { code: 'space_not_listed', message: `space ${key} (${name}) could not be listed: ${error.message}` }
}

const VISITOR: GroupMembership = { account: 'unknown', groups: [], classes: [ANONYMOUS] }

async function groupsOf(client: WikiClient, user: string, signal: AbortSignal): Promise<GroupMembership> {
  const account = await client.account(user, signal)
  if (!account) return VISITOR
  if (isInactive(account)) return { account: 'inactive', groups: [], classes: [] }
  // Without a status the account may be deactivated: its grants do not count.
  if (account.status === 'unknown') return VISITOR
  const groups = await client.groupsOf(user, signal).catch((error) => {
    if (isNotFound(error)) return []
    throw error
  })
  return { account: 'known', groups, classes: classesOf(account) }
}
