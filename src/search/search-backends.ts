import type { Caller } from '../accounts/roles.ts'
import { AppError } from '../errors.ts'
import { type ConnectorRow, listConnectors } from '../store/connectors/connectors.ts'
import { foundIdOf } from './archive-file.ts'
import { documentId, inDestinations, toBackendDocument } from './backend-documents.ts'
import type { SearchContext } from './context.ts'
import { type DestinationResults, mergeResults } from './merge-results.ts'
import type { SearchService } from './person-search.ts'
import type { SearchBackend } from './search-backend.ts'
import type { BoundPerson } from './search-person.ts'
import type { SearchResults } from './shapes/search.ts'
import { workflowsWritingTo } from './writers.ts'

export interface SearchBackends {
  /** All destinations that the caller may search, as one. */
  of(caller: Caller, person: BoundPerson): SearchBackend
}

/** More would make one question many searches. */
const MAX_DESTINATIONS = 5
const TIMEOUT_MS = 30_000
/** One slow destination must not delay the results of the others for long. */
const GRACE_MS = 3_000
/** More than fits into one response. */
const ELEMENTS_PER_READ = 60

const NO_ACCOUNT =
  'This person has no account in the source, so only public documents were searched. An administrator can match the person in the settings.'

export function createSearchBackends({ resources }: SearchContext, service: SearchService): SearchBackends {
  const { db, registry, log } = resources

  async function destinationsOf({ workspaceId, search }: Caller): Promise<ConnectorRow[]> {
    const allowed = search?.destinationIds ?? []
    const all = await listConnectors(db, workspaceId, { kind: 'destination' })
    return all.filter(
      ({ id, type }) =>
        registry.destination(type)?.capabilities.includes('search') &&
        (allowed.length === 0 || allowed.includes(id)),
    )
  }

  async function hasAccount(person: BoundPerson, destinations: ConnectorRow[]): Promise<boolean> {
    const writers = await Promise.all(destinations.map((each) => workflowsWritingTo(resources, each)))
    const sourceIds = [...new Set(writers.flat().flatMap(({ source_id: id }) => id ?? []))]
    if (sourceIds.length === 0) return true
    return [...(await person.accountsIn(sourceIds)).values()].some((account) => account !== null)
  }

  return {
    of(caller, person) {
      const { workspaceId, actor } = caller
      const inputOf = (destination: ConnectorRow) => ({ workspaceId, actor, destination, person })
      return {
        async search({ query, space, labels, limit }, signal) {
          const all = await destinationsOf(caller)
          if (all.length === 0) throw nothingToSearch()
          const destinations = all.slice(0, MAX_DESTINATIONS)
          const filters = { ...(space ? { space_key: space } : {}), ...(labels ? { labels } : {}) }
          const request = { query, size: limit, group_by: 'document' as const, filters }
          const searchOne = (destination: ConnectorRow, until: AbortSignal) =>
            service.search({ ...inputOf(destination), request }, until)
          const { results, errors } = await searchEach(destinations, searchOne, withTimeout(signal))
          if (errors.length === destinations.length) throw errors[0]
          for (const err of errors) log.warn({ err }, 'one destination of an assistant could not be searched')
          const found = mergeResults(results, limit)
          const notes = [
            ...found.notes,
            ...(errors.length > 0 ? [`${errors.length} of the indexes could not be searched.`] : []),
            ...(all.length > MAX_DESTINATIONS
              ? [
                  `Only ${MAX_DESTINATIONS} of ${all.length} indexes were searched; a token can be limited to some.`,
                ]
              : []),
            ...((await hasAccount(person, destinations)) ? [] : [NO_ACCOUNT]),
          ]
          return { documents: found.documents, notes }
        },

        async read(id, after, signal) {
          return inDestinations(id, await destinationsOf(caller), async (destination, { recordId, path }) => {
            const cursor = after === null ? {} : { cursor: after }
            const file = path === undefined ? {} : { path }
            const input = { ...inputOf(destination), recordId, limit: ELEMENTS_PER_READ, ...file, ...cursor }
            const found = await service.read(input, withTimeout(signal))
            return found && toBackendDocument(documentId(destination, foundIdOf(found)), found)
          })
        },

        async explain(id, signal) {
          return inDestinations(id, await destinationsOf(caller), async (destination, { recordId }) => {
            const { allowed, chain } = await service.why(
              { ...inputOf(destination), recordId },
              withTimeout(signal),
            )
            if (!allowed) return null
            return chain.map(({ level, title, rule }) => ({ level, title, reason: rule }))
          })
        },
      }
    },
  }
}

async function searchEach(
  destinations: ConnectorRow[],
  search: (destination: ConnectorRow, signal: AbortSignal) => Promise<SearchResults>,
  signal: AbortSignal,
): Promise<{ results: DestinationResults[]; errors: unknown[] }> {
  const late = new AbortController()
  const until = AbortSignal.any([signal, late.signal])
  let grace: NodeJS.Timeout | undefined
  const outcomes = await Promise.allSettled(
    destinations.map(async (destination) => {
      const results = await search(destination, until)
      grace ??= setTimeout(() => late.abort(), GRACE_MS)
      return { destination, results }
    }),
  )
  clearTimeout(grace)
  return {
    results: outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    errors: outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])),
  }
}

function nothingToSearch(): AppError {
  return new AppError('not_possible', 'there is no index that this token may search', {
    fix: 'An administrator has to connect a destination, or to allow one for the token',
  })
}

function withTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
}
