import { hash } from 'node:crypto'
import { z } from 'zod'
import { type AnyOf, anyOf } from '../../../permissions/principals.ts'
import type { DecisionStore, KeptDecision } from '../../type.ts'
import type { Space } from '../client.ts'

/** Every decision is proved again within this time, and after half of it at the earliest. */
const MAX_AGE_MS = 24 * 3_600_000

const keptNode = z.object({
  /** The place of the node and the permissions that were known when it was decided. */
  basis: z.string(),
  /** The members of all groups; null if the decision names no single people. */
  members: z.string().nullable(),
  /** Null if the node is open. */
  level: z
    .object({ users: z.array(z.string()), groups: z.array(z.string()), classes: z.array(z.string()) })
    .nullable(),
  unproved: z.string().nullable(),
  /** Those whose checks passed. */
  subjects: z.array(
    z.union([
      z.object({ kind: z.literal('visitor') }),
      z.object({ kind: z.enum(['user', 'group']), id: z.string() }),
    ]),
  ),
  decidedAt: z.iso.datetime(),
})
export type KeptNode = Omit<z.output<typeof keptNode>, 'level'> & { level: AnyOf | null }

/**
 * What checks decided about the nodes of one space in earlier listings. `site` and the id of the space keep apart what was
 * decided about a wiki or space that had the same key before.
 */
export function createKeptDecisions(
  store: DecisionStore | undefined,
  { site, space }: { site: string; space: Space },
) {
  const prefix = `${site}/${space.id}/`
  const known = new Map<string, KeptDecision>()
  const changed = new Set<string>()
  const used = new Set<string>()
  let foreign: string[] = []
  let loading: Promise<void> | undefined

  async function read(): Promise<void> {
    const rows = (await store?.read(space.key)) ?? []
    for (const row of rows) if (row.key.startsWith(prefix)) known.set(row.key, row)
    foreign = rows.flatMap(({ key }) => (key.startsWith(prefix) ? [] : [key]))
  }
  const find = (key: string) => {
    used.add(prefix + key)
    return known.get(prefix + key)
  }
  const set = (key: string, value: unknown) => {
    used.add(prefix + key)
    changed.add(prefix + key)
    known.set(prefix + key, { key: prefix + key, value, checkedAt: new Date() })
  }

  return {
    load: () => {
      loading ??= read()
      return loading
    },
    get: (key: string): KeptNode | undefined => {
      const parsed = keptNode.safeParse(find(key)?.value)
      if (!parsed.success) return undefined
      const { level, ...rest } = parsed.data
      return { ...rest, level: level && anyOf(level.users, level.groups, level.classes) }
    },
    put: (key: string, { level, ...rest }: KeptNode) => {
      const lists = level && {
        users: [...level.users],
        groups: [...level.groups],
        classes: [...level.classes],
      }
      set(key, { ...rest, level: lists })
    },
    isDue: (key: string) => {
      const row = known.get(prefix + key)
      return row !== undefined && Date.now() - row.checkedAt.getTime() > dueAfter(row.key)
    },
    /** A node that the wiki named as restricted may not become open by an empty list alone. */
    wasRestricted: (node: string) => find(restrictedKey(node)) !== undefined,
    setRestricted: (node: string, isRestricted: boolean) => {
      const isKnown = find(restrictedKey(node)) !== undefined
      if (isRestricted && !isKnown) set(restrictedKey(node), {})
      if (isRestricted || !isKnown) return
      known.delete(prefix + restrictedKey(node))
      changed.add(prefix + restrictedKey(node))
    },
    /** `isWhole`: the listing saw all nodes of the space, so what it did not ask for is forgotten. */
    save: async ({ isWhole }: { isWhole: boolean }) => {
      const unused = isWhole ? [...known.keys()].filter((key) => !used.has(key)) : []
      const put = [...changed].flatMap((key) => known.get(key) ?? [])
      const drop = [...unused, ...foreign, ...[...changed].filter((key) => !known.has(key))]
      if (put.length + drop.length > 0) await store?.write(space.key, { put, drop })
      changed.clear()
      foreign = []
    },
  }
}

function restrictedKey(node: string): string {
  return `restricted/${node}`
}

/** Spreads decisions of one moment over half of the time. */
function dueAfter(key: string): number {
  const share = Number.parseInt(hash('sha256', key).slice(0, 8), 16) / 0xffff_ffff
  return MAX_AGE_MS * (0.5 + 0.5 * share)
}
