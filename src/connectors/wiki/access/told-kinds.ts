import type { DecisionStore } from '../../connector.ts'
import type { ContainerInfo } from '../client.ts'

/** A site that hid a restriction is trusted again after this time, if it names one then. */
const DISTRUST_MS = 30 * 24 * 3_600_000

/**
 * The kinds of nodes, such as folders, whose restrictions the site tells. The API of some sites returns empty lists for
 * restricted folders (CONFCLOUD-82920), so an empty list means open only on a site that names a restriction of the kind
 * somewhere, and that no check has contradicted.
 */
export type ToldKinds = {
  load(): Promise<void>
  tells(kind: string): boolean
  add(containers: ContainerInfo[]): void
  /** A check refused someone below nodes with empty lists. */
  contradict(kinds: Iterable<string>): void
  save(): Promise<void>
}

/** `site` keeps apart what was learned about another wiki. */
export function createToldKinds(store: DecisionStore | undefined, site: string): ToldKinds {
  const told = new Map<string, { tells: boolean; at: Date }>()
  const changed = new Set<string>()
  const prefix = `${site}/tells/`
  let loading: Promise<void> | undefined

  async function read(): Promise<void> {
    for (const { key, value, checkedAt } of (await store?.read(SITE_SCOPE)) ?? []) {
      if (!key.startsWith(prefix)) continue
      const { tells } = value as { tells: boolean }
      if (tells || Date.now() - checkedAt.getTime() < DISTRUST_MS)
        told.set(key.slice(prefix.length), { tells, at: checkedAt })
    }
  }

  function set(kind: string, tells: boolean): void {
    told.set(kind, { tells, at: new Date() })
    changed.add(kind)
  }

  return {
    load: () => {
      loading ??= read()
      return loading
    },
    tells: (kind) => told.get(kind)?.tells ?? false,
    add: (containers) => {
      for (const { type, restrictions } of containers)
        if (restrictions?.restriction.read && !told.has(type)) set(type, true)
    },
    contradict: (kinds) => {
      for (const kind of kinds) set(kind, false)
    },
    save: async () => {
      if (changed.size === 0) return
      const put = [...changed].flatMap((kind) => {
        const known = told.get(kind)
        return known ? [{ key: prefix + kind, value: { tells: known.tells }, checkedAt: known.at }] : []
      })
      changed.clear()
      await store?.write(SITE_SCOPE, { put, drop: [] })
    },
  }
}

/** No space has an empty key. */
const SITE_SCOPE = ''
