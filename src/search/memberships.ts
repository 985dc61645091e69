import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { VISITOR_MEMBERSHIP } from '../connectors/source.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { type Connections, withSource } from '../jobs/connections.ts'
import {
  keepMembership,
  keptMembership,
  membershipSince,
  type PersonOfSource,
  type ReadMembership,
  readMembership,
  type SourceMembership,
} from '../jobs/passes/refresh-memberships.ts'
import type { Resources } from '../jobs/resources.ts'
import { ANONYMOUS, personTokens, siteNaming } from '../permissions/principals.ts'
import { type ConnectorRow, readRevision } from '../store/connectors/connectors.ts'
import { sitesIn } from '../store/connectors/sites.ts'
import { VISITORS } from '../store/connectors/stored-memberships.ts'
import type { Database } from '../store/database.ts'
import { groupsBySite } from './group-sites.ts'
import type { SearchPerson } from './search-person.ts'
import { workflowsWritingTo } from './writers.ts'

/** A person waits for the response, so a longer pause of the source is an error. */
export const PATIENCE_MS = 3_000

/** A person within one source, under the source's own names. */
export type SourcePerson = { user?: string; groups: string[]; classes: string[] }

/** A person as a reader of one destination. */
export type IndexReader = {
  /** In the form of `access`; empty for an inactive account. */
  tokens: string[]
  /** Only those of the source's own site: ids name no site, and another site may repeat them. */
  tokensIn(sourceId: string): string[]
  /** The sites whose documents the destination holds. */
  sites: string[]
  /** When the memberships have to be read again. */
  expiresAt: Date
  personIn(sourceId: string): SourcePerson
}

export interface Memberships {
  /** Groups in the query replace those of the source; classes always come from the source. */
  readerOf(person: SearchPerson, destination: ConnectorRow, signal: AbortSignal): Promise<IndexReader>
}

/** Short, so that leaving a group takes effect soon; a permission pass that reads it takes effect at once. */
const CACHE_MS = 5 * 60_000

/** Short, so that a source that is back soon decides again. */
const STORED_CACHE_MS = 30_000

/** A source that has not answered by then is replaced by its stored answer, if there is one. */
const MAX_LIVE_MS = 5_000

/** The source does not answer, limits requests or rejects the credentials. */
const AWAY: ErrorCode[] = ['source_unreachable', 'source_unauthorized', 'rate_limited']

/** Null for a person without an account in the source. */
type AccountMembership = SourceMembership & { account: string | null }

type TimedMembership = ReadMembership & { until: number }

const NO_PERSON: SourcePerson = { groups: [], classes: [] }

export function createMemberships(
  resources: Pick<Resources, 'db' | 'registry' | 'log'>,
  connections: Connections,
): Memberships {
  const { db, log } = resources
  const cache = new LRUCache<string, TimedMembership>({ max: 10_000, ttl: CACHE_MS })

  async function membershipOf(
    sourceId: string,
    person: string,
    signal: AbortSignal,
  ): Promise<TimedMembership> {
    const revision = (await readRevision(db, sourceId)) ?? 0
    // Another site or account of the source has other answers.
    const key = JSON.stringify([sourceId, revision, person])
    const remember = (membership: ReadMembership, ttl: number) => {
      const found = { ...membership, until: Date.now() + ttl }
      cache.set(key, found, { ttl })
      return found
    }
    const cached = cache.get(key)
    if (cached) {
      const newer = await membershipSince(db, { sourceId, person }, cached.readAt)
      return newer ? remember(newer, CACHE_MS) : cached
    }
    const stored = async () => {
      const kept = await keptMembership(db, { sourceId, person })
      return kept && remember(kept, STORED_CACHE_MS)
    }
    const live = readLive({ db, connections }, { sourceId, person, revision }, signal).then((membership) =>
      remember(membership, CACHE_MS),
    )
    live.catch(() => {})
    const timer = new AbortController()
    try {
      const first = await Promise.race([live, sleep(MAX_LIVE_MS, null, { signal: timer.signal, ref: false })])
      return first ?? (await stored()) ?? (await live)
    } catch (error) {
      if (!(error instanceof AppError) || !AWAY.includes(error.code)) throw error
      const kept = await stored()
      if (!kept) throw error
      log.warn({ source_id: sourceId, code: error.code }, 'groups of a person come from the stored answer')
      return kept
    } finally {
      timer.abort()
    }
  }

  return {
    async readerOf(searchPerson, destination, signal) {
      const { id: destinationId } = destination
      const workflows = await workflowsWritingTo(resources, destination)
      const sourceIds = [...new Set(workflows.flatMap((workflow) => workflow.source_id ?? []))]
      const accounts = await accountsOf(searchPerson, sourceIds)
      const read = async (id: string) => {
        const account = accounts.get(id) ?? null
        return [id, { account, ...(await membershipOf(id, account ?? VISITORS, signal)) }] as const
      }
      const bySource = new Map(await Promise.all(sourceIds.map(read)))

      const all = [...bySource.values()]
      const givenGroups = searchPerson.kind === 'named' ? searchPerson.as.groups : undefined
      const indexed = await sitesIn(db, destinationId)
      const sites = [...new Set([...indexed, ...all.map(({ site }) => site.name)])].sort()
      // Otherwise a search would silently find only what visitors can read.
      if (!givenGroups && all.length > 0 && all.every(({ belonging }) => belonging === null))
        throw groupsNeeded()
      const given = givenGroups && groupsBySite(givenGroups, sites)
      const expiresAt = new Date(Math.min(Date.now() + CACHE_MS, ...all.map(({ until }) => until)))
      if (all.some(({ belonging }) => belonging?.account === 'inactive'))
        return { tokens: [], tokensIn: () => [], sites, expiresAt, personIn: () => NO_PERSON }
      return { ...tokensOfAccounts(bySource, { sites, given }), sites, expiresAt }
    },
  }
}

async function readLive(
  { db, connections }: { db: Database; connections: Connections },
  { sourceId, person, revision }: PersonOfSource & { revision: number },
  signal: AbortSignal,
): Promise<ReadMembership> {
  return withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, async (source) => {
    const readAt = new Date()
    const membership = await readMembership(source, person, signal)
    await keepMembership(db, { sourceId, person }, { ...membership, readAt, isUsed: true, revision })
    return { ...membership, readAt }
  })
}

/** `given`: the groups of a request by site, which replace those of the sources. */
function tokensOfAccounts(
  bySource: ReadonlyMap<string, AccountMembership>,
  { sites, given }: { sites: string[]; given: ReadonlyMap<string, string[]> | undefined },
): Pick<IndexReader, 'tokens' | 'tokensIn' | 'personIn'> {
  const all = [...bySource.values()]
  const personOf = ({ account, belonging, site }: AccountMembership): SourcePerson => {
    const { account: state, groups, classes } = belonging ?? VISITOR_MEMBERSHIP
    return {
      ...(account !== null && state === 'known' ? { user: account } : {}),
      groups: given && state !== 'unlicensed' ? (given.get(site.name) ?? []) : groups,
      classes,
    }
  }
  const people = all.map((each) => ({ person: personOf(each), ...each.site }))
  // Documents of deleted workflows have no source.
  for (const name of sites.filter((each) => !all.some(({ site }) => site.name === each))) {
    const person = { groups: given?.get(name) ?? [], classes: [ANONYMOUS] }
    people.push({ person, name, naming: siteNaming(name, 'per site') })
  }
  const tokensOf = (accounts: typeof people) => [
    ...new Set([
      `class:${ANONYMOUS}`,
      ...accounts.flatMap(({ person, naming }) => personTokens(person, naming)),
    ]),
  ]
  const tokensIn = (sourceId: string) => {
    const site = bySource.get(sourceId)?.site.name
    return tokensOf(people.filter(({ name }) => name === site))
  }
  const personIn = (sourceId: string) => {
    const found = bySource.get(sourceId)
    return found ? personOf(found) : NO_PERSON
  }
  return { tokens: tokensOf(people), tokensIn, personIn }
}

/** A named person has the same id in every source. */
async function accountsOf(
  person: SearchPerson,
  sourceIds: string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (person.kind === 'bound') return person.accountsIn(sourceIds)
  return new Map(sourceIds.map((id) => [id, person.as.user ?? null]))
}

function groupsNeeded(): AppError {
  return new AppError('not_possible', 'the sources of this destination cannot list the groups of a person', {
    fix: 'Name the groups instead',
  })
}
