import { ANONYMOUS } from '../../access.ts'
import { AppError } from '../../errors.ts'
import type { Belonging, Context, Having, ListingPage, Source, Warning } from '../connector.ts'
import { classesOf, isInactive } from './access/accounts.ts'
import { createDirectory } from './access/directory.ts'
import { pageLevels } from './access/levels.ts'
import { findWikiPeople } from './access/people.ts'
import { checkWiki } from './check.ts'
import type { Space, WikiClient } from './client.ts'
import { MAX_IMAGE_BYTES, type WikiConfig } from './config.ts'
import { createMentions } from './content/mentions.ts'
import { type PageReader, readPages } from './content/read-pages.ts'
import { type ListedSpace, type ListingRun, listSpace } from './listing/list-space.ts'
import { locateMissing } from './listing/locate-missing.ts'
import { pageIdOf } from './listing/refs.ts'
import { currentSpaces } from './listing/space-choices.ts'
import { type Selection, selectSpaces } from './listing/spaces.ts'
import { type OpenedWiki, openDeployment } from './open-deployment.ts'
import type { WikiOptions } from './open-options.ts'
import { isNotFound } from './transport/transport.ts'

/** Spaces that are gathered ahead of the one being handed out. */
const SPACES_AT_ONCE = 3

export type WikiSource = Having<Source, 'locate' | 'people' | 'levels' | 'scopes' | 'permits'>

export function openWiki(
  config: WikiConfig,
  { egress, patienceMs }: Context,
  options: WikiOptions = {},
): WikiSource {
  const opening = { config, egress, options: { ...(patienceMs ? { patienceMs } : {}), ...options } }
  const opened = kept((signal): Promise<OpenedWiki> => openDeployment(opening, signal))
  const selected = kept(async (signal): Promise<Selection> => {
    const { client } = await opened.get(signal)
    return selectSpaces(client, config, signal)
  })
  const client = async (signal: AbortSignal) => (await opened.get(signal)).client
  const reader = kept(async (signal): Promise<PageReader> => {
    const found = await client(signal)
    const images = { client: found, egress, maxImageBytes: config.max_image_bytes }
    return { config, images, mentions: createMentions(found) }
  })

  return {
    rendition: renditionOf(config),
    check: (signal, onSteps = () => {}) => checkWiki(opening, onSteps, signal),
    list: async function* (signal) {
      selected.forget()
      yield* listWiki({ client: await client(signal), config, selected: selected.get }, signal)
    },
    read: async function* (refs, accepts, signal) {
      const found = await reader.get(signal).catch(asError)
      if (found instanceof AppError) for (const ref of refs) yield { ref, error: found }
      else yield* readPages(found, { refs, accepts }, signal)
    },
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
    },
    levels: async (document, signal) =>
      pageLevels({ client: await client(signal), config }, document, signal),
    permits: async ({ user, operation, document }, signal) => {
      const { checks } = await client(signal)
      const subject = { kind: 'user' as const, id: user }
      return checks ? checks.may({ pageId: pageIdOf(document), subject, operation }, signal) : null
    },
    scopes: async (signal) => currentSpaces(await client(signal), signal),
    // Connections belong to the way out, which outlives its sources.
    close: async () => {},
  }
}

/** `storage`: bodies are rendered here. Earlier ones held text of other pages. */
function renditionOf({ extract_images, max_image_bytes, include_comments }: WikiConfig): string {
  const isUsual = max_image_bytes === MAX_IMAGE_BYTES
  const images = extract_images ? `images${isUsual ? '' : `:${max_image_bytes}`}` : ''
  return ['storage', images, include_comments ? 'comments' : ''].filter((part) => part !== '').join('+')
}

function asError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

/** Requested once and kept; a failure is requested again. */
function kept<T>(ask: (signal: AbortSignal) => Promise<T>) {
  let value: Promise<T> | undefined
  const forget = () => {
    value = undefined
  }
  const get = async (signal: AbortSignal): Promise<T> => {
    const shared = value
    const asked = shared ?? ask(signal)
    value = asked
    try {
      return await asked
    } catch (error) {
      if (value === asked) forget()
      // The first caller was cancelled; the others request again.
      if (!shared || error instanceof AppError || signal.aborted) throw error
      return get(signal)
    }
  }
  return { get, forget }
}

type Listing = { client: WikiClient; config: WikiConfig; selected(signal: AbortSignal): Promise<Selection> }

async function* listWiki(
  { client, config, selected }: Listing,
  outer: AbortSignal,
): AsyncGenerator<ListingPage> {
  // Stops pending spaces when one fails or the consumer stops.
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  try {
    const { spaces, warnings } = await selected(signal)
    for (const warning of warnings) yield { kind: 'warning', warning }
    const roles = client.roles(signal)
    roles.catch(() => {})
    const files = config.extract_files || config.extract_images
    const run: ListingRun = {
      client,
      config,
      directory: createDirectory(client),
      roles,
      files,
      unprovedAncestors: config.unproved_ancestors,
    }
    const ahead: { space: Space; listed: Promise<ListedSpace> }[] = []
    const failures: AppError[] = []
    for (let next = 0; next < spaces.length || ahead.length > 0; ) {
      while (next < spaces.length && ahead.length < SPACES_AT_ONCE) {
        const space = spaces[next++]!
        const listed = listSpace(run, space, signal)
        listed.catch(() => {})
        ahead.push({ space, listed })
      }
      const { space, listed } = ahead.shift()!
      const outcome = await listed.catch(unlessItConcernsAll)
      if (outcome instanceof AppError) {
        // The other spaces are listed; this one has no `end`.
        failures.push(outcome)
        yield { kind: 'warning', warning: unlisted(space, outcome) }
        continue
      }
      for (const page of outcome.pages()) {
        // No request would notice a cancellation here.
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

function unlessItConcernsAll(error: unknown): AppError {
  if (error instanceof AppError && !error.endsJob) return error
  throw error
}

function unlisted({ key, name }: Space, error: AppError): Warning {
  return { code: 'space_not_listed', message: `space ${key} (${name}) could not be listed: ${error.message}` }
}

const VISITOR: Belonging = { account: 'unknown', groups: [], classes: [ANONYMOUS] }

async function groupsOf(client: WikiClient, user: string, signal: AbortSignal): Promise<Belonging> {
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
