import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { joinPaces, sharePaces } from '../kit/site-paces.ts'
import { otherSiteError } from '../own-site.ts'
import type { GroupMembership, KnownDocument, Source } from '../source.ts'
import type { Context, SourceCapability, WithCapabilities } from '../type.ts'
import { membershipOf, withLicence } from './access/accounts.ts'
import { createDirectory } from './access/directory.ts'
import { pageLevels } from './access/levels.ts'
import { findWikiPeople, wikiNames } from './access/people.ts'
import { checkWiki } from './check.ts'
import type { WikiClient } from './client.ts'
import { MAX_IMAGE_BYTES, trustOf, type WikiConfig } from './config.ts'
import { createBodyBatches } from './content/body-batches.ts'
import { createMentions } from './content/mentions.ts'
import { type PageReader, readPages } from './content/read-pages.ts'
import { readEarlierVersion } from './content/read-version.ts'
import { pageIdOf } from './document-page.ts'
import { listWiki } from './listing/list-wiki.ts'
import { locateMissing } from './listing/locate-missing.ts'
import { relistPages } from './listing/relist-pages.ts'
import { currentSpaces } from './listing/space-choices.ts'
import { type Selection, selectSpaces } from './listing/spaces.ts'
import { type OpenedWiki, openDeployment } from './open-deployment.ts'
import type { WikiOptions } from './open-options.ts'
import { nullIfMissing } from './transport/transport.ts'

export type WikiSource = WithCapabilities<Source, SourceCapability>

/** The deployment, signed in to on first use, and what is read of it once. */
function openSession(
  config: WikiConfig,
  { egress: givenEgress, maxWaitMs, share, sharedPace, compute }: Context,
  options: WikiOptions,
) {
  if (sharedPace) sharePaces(givenEgress, sharedPace)
  const trust = trustOf(config)
  const egress = trust ? givenEgress.trusting(trust) : givenEgress
  if (trust) joinPaces(givenEgress, egress)
  const fromContext = { ...(maxWaitMs ? { maxWaitMs } : {}), ...(share ? { share } : {}) }
  const openOptions = { config, egress, options: { ...fromContext, ...options } }
  const opened = cached((signal): Promise<OpenedWiki> => openDeployment(openOptions, signal))
  /** Returns what was read only if it was read as the account of the source. */
  const proved = async <T>(read: (client: WikiClient) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const { client, proof } = await opened.get(signal)
    const value = await read(client)
    await proof.prove(proof.mark(), signal)
    return value
  }
  const selected = cached(
    (signal): Promise<Selection> => proved((client) => selectSpaces(client, config, signal), signal),
  )
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
    return { config, images, mentions: createMentions(found), batches: createBodyBatches(), compute }
  })
  // Without authorities of its own, the egress of the service owns the connections.
  const close = async () => {
    if (trust) await egress.close()
  }
  return { openOptions, opened, proved, selected, client, clientOf, reader, close }
}

export function openWiki(config: WikiConfig, context: Context, options: WikiOptions = {}): WikiSource {
  const { decisions: store, compute } = context
  const session = openSession(config, context, options)
  const { openOptions, opened, proved, selected, client, clientOf, reader, close } = session
  return {
    rendition: renditionOf(config),
    check: (signal, onSteps = () => {}) => checkWiki({ ...openOptions, compute }, onSteps, signal),
    list: async function* (signal, from) {
      selected.clear()
      const { client, proof } = await opened.get(signal)
      const { batchSize } = options
      const wiki = { client, config, store, compute, batchSize, permissionsOnly: from?.permissionsOnly }
      yield* listWiki({ ...wiki, proof, selected: selected.get, from }, signal)
    },
    read: async function* (refs, accepts, signal) {
      const found = await reader.get(signal).catch(asError)
      if (found instanceof AppError) {
        for (const ref of refs) yield { ref, error: found }
        return
      }
      const { ours, others } = splitBySite(refs, found.images.client.site.name)
      yield* others
      for await (const outcome of readPages(found, { refs: ours, accepts }, signal)) {
        // Bodies that a visitor can read too are the same for everyone.
        const isGone = 'error' in outcome && outcome.error.code === 'document_gone'
        const failed = isGone ? await proved(async () => {}, signal).catch(asError) : undefined
        yield failed ? { ref: outcome.ref, error: failed } : outcome
      }
    },
    relist: (documents, signal) =>
      proved((client) => relistPages({ client, config, store, compute }, documents, signal), signal),
    locate: async (documents, signal) => {
      const { spaces } = await selected.get(signal)
      return proved(
        (client) => locateMissing({ client, config, spaces, store, compute }, documents, signal),
        signal,
      )
    },
    site: async (signal) => {
      const { site, naming } = await client(signal)
      return { name: site.name, naming }
    },
    people: wikiPeople({ client, proved, cloud: config.cloud }),
    emails: (signal) => proved((client) => client.emails(signal), signal),
    ownAccount: async (signal) => {
      const { id, name } = await (await client(signal)).me(signal)
      return { id, name }
    },
    levels: async (document, signal) =>
      pageLevels({ client: await clientOf(document, signal), config, store }, document, signal),
    checkPermission: async ({ user, operation, document }, signal) => {
      const { permissionChecks } = await clientOf(document, signal)
      const subject = { kind: 'user' as const, id: user }
      return permissionChecks
        ? permissionChecks.checkPermission({ pageId: pageIdOf(document), subject, operation }, signal)
        : null
    },
    readVersion: async (ref, version, signal) => {
      await clientOf(ref, signal)
      return readEarlierVersion(await reader.get(signal), { ref, version }, signal)
    },
    scopes: async (signal) => currentSpaces(await client(signal), signal),
    close,
  }
}

type PeopleInput = {
  client(signal: AbortSignal): Promise<WikiClient>
  proved(read: () => Promise<void>, signal: AbortSignal): Promise<void>
  cloud: boolean
}

function wikiPeople({ client, proved, cloud }: PeopleInput): WikiSource['people'] {
  return {
    find: async (text, signal) => findWikiPeople(await client(signal), text, signal),
    groupsOf: async (user, signal) => {
      const membership = await groupsOf(await client(signal), user, signal)
      // A visitor can read no account.
      if (membership.account === 'unknown') await proved(async () => {}, signal)
      return membership
    },
    names: async (ids, signal) => wikiNames(await client(signal), { ...ids, cloud: cloud }, signal),
    directory: async (ids, signal) => {
      const directory = createDirectory(await client(signal))
      await directory.load(ids, signal)
      return directory
    },
  }
}

/** Grows with every change of what a page shows, so that no text of earlier rules stays in the index. */
const RENDITION = 'storage-3'

function renditionOf({ extract_images, max_image_bytes, include_comments }: WikiConfig): string {
  const isDefault = max_image_bytes === MAX_IMAGE_BYTES
  const images = extract_images ? `images${isDefault ? '' : `:${max_image_bytes}`}` : ''
  return [RENDITION, images, include_comments ? 'comments' : ''].filter((part) => part !== '').join('+')
}

function splitBySite(refs: readonly DocumentRef[], site: string) {
  const ours: DocumentRef[] = []
  const others: { ref: DocumentRef; error: AppError }[] = []
  for (const ref of refs) {
    const error = otherSiteError(ref, site)
    if (error) others.push({ ref, error })
    else ours.push(ref)
  }
  return { ours, others }
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

async function groupsOf(client: WikiClient, user: string, signal: AbortSignal): Promise<GroupMembership> {
  const account = await client.account(user, signal)
  const alone = membershipOf(account, [])
  if (!account || alone.account !== 'known') return alone
  const groups = (await client.groupsOf(user, signal).catch(nullIfMissing)) ?? []
  const access = (await client.productAccess?.(signal)) ?? null
  return membershipOf(withLicence(account, access, groups), groups)
}
