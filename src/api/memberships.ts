import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { ANONYMOUS, BARE, personTokens, siteNaming } from '../access.ts'
import type { Belonging, SourceSite } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { STATE_FORM } from '../ingest/data-source.ts'
import type { Connections } from '../jobs/connections.ts'
import { hasOtherStates, sitesIn } from '../store/connectors/sites.ts'
import type { Database } from '../store/database.ts'
import { workflowsUsing } from '../store/workflows/workflows.ts'
import { invalid } from './errors.ts'
import { groupsBySite } from './group-sites.ts'

/** A person waits, so long pauses are refused. */
export const PATIENCE_MS = 3_000

/** Search or explain as this person; groups replace the source's. */
export const asPerson = z.strictObject({
  user: z.string().min(1).max(1000).optional(),
  groups: z.array(z.string().max(255, 'at most 255 characters')).max(1000, 'at most 1000 groups').optional(),
})
export type PersonQuery = z.infer<typeof asPerson>

export function requirePerson(as: PersonQuery): void {
  if (!as.user && !as.groups)
    throw invalid(['body', 'as'], 'a person is needed: a user, or groups', 'missing')
}

/** A person within one source, under the source's own names. */
export type SourcePerson = { user?: string; groups: string[]; classes: string[] }

/** A person as a reader of one destination. */
export type IndexReader = {
  /** As `access` has them; none for an inactive account. */
  tokens: string[]
  /** The sites whose documents the destination holds. */
  sites: string[]
  /** When the memberships have to be read again. */
  expiresAt: Date
  within(sourceId: string): SourcePerson
}

export interface Memberships {
  /** Given groups replace the source's; classes are always the source's. */
  readerOf(as: PersonQuery, destinationId: string, signal: AbortSignal): Promise<IndexReader>
}

/** Short, so that leaving a group takes effect soon. */
const KEPT_MS = 5 * 60_000

/** `belonging` is null if the source has no people. */
type Known = { site: SourceSite; belonging: Belonging | null; until: number }

const VISITOR: Belonging = { account: 'unknown', groups: [], classes: [ANONYMOUS] }
const NOTHING: SourcePerson = { groups: [], classes: [] }

export function createMemberships(db: Database, connections: Connections): Memberships {
  const kept = new LRUCache<string, Known>({ max: 10_000, ttl: KEPT_MS })
  // An index never goes back to the old form, so the result is cached.
  const rewritten = new LRUCache<string, true>({ max: 1000, ttl: 60 * 60_000 })

  async function ofSource(sourceId: string, user: string | undefined, signal: AbortSignal): Promise<Known> {
    const key = `${sourceId}\n${user ?? ''}`
    const remembered = kept.get(key)
    if (remembered) return remembered
    const until = Date.now() + KEPT_MS
    const source = await connections.openSource(sourceId, { patienceMs: PATIENCE_MS })
    try {
      const site = await source.site(signal)
      const belonging = user ? ((await source.people?.groupsOf(user, signal)) ?? null) : VISITOR
      const found = { site, belonging, until }
      kept.set(key, found)
      return found
    } finally {
      await source.close()
    }
  }

  /** Whether every document has the current form of names. */
  async function isRewritten(destinationId: string): Promise<boolean> {
    if (rewritten.has(destinationId)) return true
    if (await hasOtherStates(db, destinationId, STATE_FORM)) return false
    rewritten.set(destinationId, true)
    return true
  }

  return {
    async readerOf(as, destinationId, signal) {
      const workflows = await workflowsUsing(db, destinationId)
      const known = new Map<string, Known>()
      for (const sourceId of new Set(workflows.flatMap((workflow) => workflow.source_id ?? [])))
        known.set(sourceId, await ofSource(sourceId, as.user, signal))

      const all = [...known.values()]
      const held = await sitesIn(db, destinationId)
      const sites = [...new Set([...held, ...all.map(({ site }) => site.name)])].sort()
      // Otherwise a search would silently find only what visitors can read.
      if (!as.groups && all.length > 0 && all.every(({ belonging }) => belonging === null))
        throw groupsNeeded()
      const given = as.groups && groupsBySite(as.groups, sites)
      const expiresAt = new Date(Math.min(Date.now() + KEPT_MS, ...all.map(({ until }) => until)))
      if (all.some(({ belonging }) => belonging?.account === 'inactive'))
        return { tokens: [], sites, expiresAt, within: () => NOTHING }

      const personIn = ({ site, belonging }: Known): SourcePerson => {
        const { account, groups, classes } = belonging ?? VISITOR
        return {
          ...(as.user && account === 'known' ? { user: as.user } : {}),
          groups: given ? (given.get(site.name) ?? []) : groups,
          classes,
        }
      }
      const people = all.map((each) => ({ person: personIn(each), naming: each.site.naming }))
      // Documents of deleted workflows have no source.
      for (const name of sites.filter((each) => !all.some(({ site }) => site.name === each))) {
        const person = { groups: given?.get(name) ?? [], classes: [ANONYMOUS] }
        people.push({ person, naming: siteNaming(name, 'per site') })
      }
      // With one site, bare names are unambiguous.
      const old = sites.length === 1 && !(await isRewritten(destinationId))
      const tokens = new Set([
        `class:${ANONYMOUS}`,
        ...people.flatMap(({ person, naming }) => personTokens(person, naming)),
        ...(old ? people.flatMap(({ person }) => personTokens(person, BARE)) : []),
      ])
      const within = (sourceId: string) => {
        const found = known.get(sourceId)
        return found ? personIn(found) : NOTHING
      }
      return { tokens: [...tokens], sites, expiresAt, within }
    },
  }
}

function groupsNeeded(): AppError {
  return new AppError('not_possible', 'the sources of this destination do not tell the groups of a person', {
    fix: 'Name the groups instead',
  })
}
