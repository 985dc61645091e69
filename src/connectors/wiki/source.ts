import { ANONYMOUS, LICENSED } from '../../access.ts'
import type { Context, ListingPage, Source, SourceType } from '../connector.ts'
import { checkWiki } from './check.ts'
import type { WikiClient } from './client.ts'
import { cloudClient } from './cloud.ts'
import { authorization, refuse, type WikiConfig, wikiSchema } from './config.ts'
import { whyNotThisWiki } from './deployment.ts'
import { createDirectory } from './directory.ts'
import { confirmGone } from './gone.ts'
import { type ListedSpace, listSpace, type Run } from './listing.ts'
import { readPages } from './reading.ts'
import { cloudSite } from './site.ts'
import { type Selection, selectSpaces } from './spaces.ts'
import { createTransport, isMissing, type TransportOptions } from './transport.ts'

/** Spaces that are gathered ahead of the one being handed out. */
const SPACES_AT_ONCE = 3

export const wiki: SourceType = {
  kind: 'source',
  type: 'wiki',
  aliases: ['confluence'],
  title: 'Wiki (Confluence)',
  schema: wikiSchema,
  fieldAliases: { api_token: 'token' },
  addressFields: ['url'],
  refuse,
  open: (config: WikiConfig, context) => openWiki(config, context),
}

export function openWiki(config: WikiConfig, { egress }: Context, options: TransportOptions = {}): Source {
  const access = { site: cloudSite(config.url), authorization: authorization(config), egress }
  const client = cloudClient(createTransport(access, options))
  let selection: Promise<Selection> | undefined
  const selected = (signal: AbortSignal) => {
    selection ??= selectSpaces(client, config, signal).catch(async (error) => {
      selection = undefined
      throw await whyNotThisWiki(access, error, signal)
    })
    return selection
  }

  return {
    check: (signal) => checkWiki({ access, config, options }, signal),
    list: (done, signal) => {
      selection = undefined
      return listWiki({ client, config, selected }, done, signal)
    },
    read: (refs, signal) => readPages(client, refs, signal),
    confirmGone: async (documents, signal) => {
      const { spaces } = await selected(signal)
      return confirmGone(client, { documents, spaces: new Set(spaces.map(({ id }) => id)) }, signal)
    },
    groupsOf: (user, signal) => groupsOf(client, user, signal),
    // Connections belong to the way out, which outlives its sources.
    close: async () => {},
  }
}

type Listing = { client: WikiClient; config: WikiConfig; selected(signal: AbortSignal): Promise<Selection> }

async function* listWiki(
  { client, config, selected }: Listing,
  done: ReadonlySet<string>,
  outer: AbortSignal,
): AsyncGenerator<ListingPage> {
  // When one space fails, or nobody takes the rest, the ones under way stop too.
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  try {
    const { spaces, warnings } = await selected(signal)
    for (const warning of warnings) yield { kind: 'warning', warning }
    const roles = client.roles(signal)
    roles.catch(() => {})
    const run: Run = {
      client,
      directory: createDirectory(client),
      roles,
      mostPages: config.max_num_of_docs_from_each_space,
    }
    const open = spaces.filter(({ key }) => !done.has(key))
    const ahead: Promise<ListedSpace>[] = []
    for (let next = 0; next < open.length || ahead.length > 0; ) {
      while (next < open.length && ahead.length < SPACES_AT_ONCE) {
        const listed = listSpace(run, open[next++]!, signal)
        listed.catch(() => {})
        ahead.push(listed)
      }
      const listed = await ahead.shift()!
      for (const page of listed.pages()) {
        // What was gathered ahead needs no more requests, so nothing else would notice a cancellation.
        outer.throwIfAborted()
        yield page
      }
    }
    outer.throwIfAborted()
    yield { kind: 'complete' }
  } finally {
    stop.abort()
  }
}

async function groupsOf(
  client: WikiClient,
  user: string,
  signal: AbortSignal,
): Promise<{ groups: string[]; classes: string[] }> {
  const account = await client.account(user, signal)
  // Whoever is not known here sees what a visitor sees.
  if (!account) return { groups: [], classes: [ANONYMOUS] }
  const groups = await client.groupsOf(user, signal).catch((error) => {
    if (isMissing(error)) return []
    throw error
  })
  return { groups, classes: account.type === 'atlassian' ? [ANONYMOUS, LICENSED] : [ANONYMOUS] }
}
