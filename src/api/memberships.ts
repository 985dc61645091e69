import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { ANONYMOUS } from '../access.ts'
import type { Person } from '../connectors/connector.ts'
import type { Connections } from '../jobs/connections.ts'
import type { WorkflowRow } from '../store/workflows.ts'
import { invalid } from './errors.ts'

/** Somebody waits for the answer: a wiki that wants to be left alone is not waited for. */
export const PATIENCE_MS = 3_000

/** Somebody to search or explain as; groups that are given stand for those the wiki would tell. */
export const asPerson = z.strictObject({
  user: z.string().min(1).max(1000).optional(),
  groups: z.array(z.string().max(255, 'at most 255 characters')).max(1000, 'at most 1000 groups').optional(),
})
export type As = z.infer<typeof asPerson>

/** Nobody in particular is not everybody. */
export function requirePerson(as: As): void {
  if (!as.user && !as.groups)
    throw invalid(['body', 'as'], 'a person is needed: a user, or groups', 'missing')
}

export interface Memberships {
  /** Groups that were given stand for the wiki's; a class still has to be proved by it. */
  personOf(as: As, workflows: WorkflowRow[], signal: AbortSignal): Promise<Person>
}

export function createMemberships(connections: Connections): Memberships {
  // Long enough that a person's searches ask the wiki once, short enough that leaving a group shows soon.
  const known = new LRUCache<string, { groups: string[]; classes: string[] }>({
    max: 10_000,
    ttl: 5 * 60_000,
  })

  async function ofSource(sourceId: string, user: string, signal: AbortSignal) {
    const key = `${sourceId}\n${user}`
    const remembered = known.get(key)
    if (remembered) return remembered
    const source = await connections.openSource(sourceId, { patienceMs: PATIENCE_MS })
    try {
      const found = await source.groupsOf(user, signal)
      known.set(key, found)
      return found
    } finally {
      await source.close()
    }
  }

  async function groupsOf(user: string, workflows: WorkflowRow[], signal: AbortSignal) {
    const groups = new Set<string>()
    let classes: Set<string> | undefined
    for (const sourceId of new Set(workflows.flatMap((workflow) => workflow.source_id ?? []))) {
      const found = await ofSource(sourceId, user, signal)
      for (const group of found.groups) groups.add(group)
      // Ids say whose they are; a class is of no wiki in particular, so it has to be true in every one that is here.
      classes = new Set(found.classes).intersection(classes ?? new Set(found.classes))
    }
    return { groups: [...groups], classes: [...new Set([...(classes ?? []), ANONYMOUS])] }
  }

  return {
    async personOf(as, workflows, signal) {
      if (!as.user) return { groups: as.groups ?? [], classes: [ANONYMOUS] }
      const looked = await groupsOf(as.user, workflows, signal)
      return { user: as.user, groups: as.groups ?? looked.groups, classes: looked.classes }
    },
  }
}
