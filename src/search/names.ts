import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { PrincipalLists, PrincipalNames } from '../connectors/source.ts'
import { withSource } from '../jobs/connections.ts'
import { nameWithin } from '../permissions/principals.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { type StoredName, storedNames, storeNames } from '../store/connectors/principal-names.ts'
import { sitesIn } from '../store/connectors/sites.ts'
import type { SearchContext } from './context.ts'
import { workflowsWritingTo } from './writers.ts'

/** Names of people and groups, for display. */
export interface Names {
  /** Stored names at once, missing ones from the sources if they answer soon. Never fails because of a source. */
  of(destination: ConnectorRow, ids: PrincipalLists, options?: { site?: string }): Promise<PrincipalNames>
  /** Stores names that a source has shown anyway. */
  remember(
    at: { workspaceId: string; site: string },
    people: { id: string; name: string | null }[],
  ): Promise<void>
}

/** A page waits for the names. */
const WAIT_MS = 2_000
/** A slow answer is stored for the next request. */
const READ_MS = 30_000
/** Without this pause, every page would wait for a source that is away. */
const AWAY_MS = 60_000
/** Names that one request asks of a source. */
const MAX_ASKED = 200

export function createNames({ resources, connections }: SearchContext): Names {
  const { db, log } = resources
  const away = new LRUCache<string, true>({ max: 1000, ttl: AWAY_MS })
  const pending = new Map<string, Promise<void>>()

  /** Reads names from one source and stores them, also after the caller stopped waiting. */
  async function read(workspaceId: string, sourceId: string, ids: PrincipalLists): Promise<void> {
    const signal = AbortSignal.timeout(READ_MS)
    try {
      await withSource(connections, { sourceId, maxWaitMs: WAIT_MS }, async (source) => {
        const found = await source.people?.names?.(ids, signal)
        if (!found) return
        const { name: site } = await source.site(signal)
        const toRows = (kind: 'user' | 'group', list: string[], names: Map<string, string>) =>
          list.map((id) => ({ kind, id, name: names.get(id) ?? null }))
        await storeNames(db, { workspaceId, site }, [
          ...toRows('user', ids.users, found.users),
          ...toRows('group', ids.groups, found.groups),
        ])
      })
    } catch (error) {
      away.set(sourceId, true)
      log.debug({ err: error, source_id: sourceId }, 'reading names from a source failed')
    }
  }

  function readOnce(workspaceId: string, sourceId: string, ids: PrincipalLists): Promise<void> {
    const key = JSON.stringify([sourceId, ids])
    const reading =
      pending.get(key) ?? read(workspaceId, sourceId, ids).finally(() => void pending.delete(key))
    pending.set(key, reading)
    return reading
  }

  return {
    async of(destination, ids, { site } = {}) {
      const { id: destinationId, workspace_id: workspaceId } = destination
      const names: PrincipalNames = { users: new Map(), groups: new Map() }
      if (ids.users.length + ids.groups.length === 0) return names
      const workflows = await workflowsWritingTo(resources, destination)
      const sites = site === undefined ? await sitesIn(db, destinationId) : [site]
      const own = (group: string) => sites.reduce(nameWithin, group)
      const lists = { user: unique(ids.users), group: unique(ids.groups.map(own)) }
      const stored = () => storedNames(db, { workspaceId, sites }, lists)
      let rows = await stored()
      const missing = missingFrom(rows, lists)
      const sources = new Set(workflows.flatMap(({ source_id: id }) => id ?? []))
      const asked = [...sources].filter((id) => !away.has(id))
      if (missing.users.length + missing.groups.length > 0 && asked.length > 0) {
        const timer = new AbortController()
        const reading = Promise.all(asked.map((id) => readOnce(workspaceId, id, missing)))
        await Promise.race([reading, sleep(WAIT_MS, null, { signal: timer.signal }).catch(() => {})])
        timer.abort()
        rows = await stored()
      }
      const nameOf = (kind: StoredName['kind'], id: string) =>
        rows.find((row) => row.kind === kind && row.id === id && row.name !== null)?.name
      for (const id of ids.users) setIf(names.users, id, nameOf('user', id))
      for (const id of ids.groups) setIf(names.groups, id, nameOf('group', own(id)))
      return names
    },

    remember: (at, people) =>
      storeNames(
        db,
        at,
        people.flatMap(({ id, name }) => (name === null ? [] : [{ kind: 'user' as const, id, name }])),
      ),
  }
}

function missingFrom(rows: StoredName[], lists: Record<StoredName['kind'], string[]>): PrincipalLists {
  const fresh = new Set(rows.flatMap(({ kind, id, isFresh }) => (isFresh ? [`${kind}:${id}`] : [])))
  const missing = (kind: StoredName['kind']) =>
    lists[kind].filter((id) => !fresh.has(`${kind}:${id}`)).slice(0, MAX_ASKED)
  return { users: missing('user'), groups: missing('group') }
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)].sort()
}

function setIf(names: Map<string, string>, id: string, name: string | null | undefined): void {
  if (name) names.set(id, name)
}
