import type { DecisionStore } from '../../type.ts'
import type { ContainerInfo } from '../client.ts'

/** A site that hid a restriction is trusted again after this time, if it names one then. */
const DISTRUST_MS = 30 * 24 * 3_600_000

export type DisclosedKinds = ReturnType<typeof createDisclosedKinds>

/**
 * The kinds of nodes, such as folders, whose restrictions the site discloses. The API of some sites returns empty lists for
 * restricted folders (CONFCLOUD-82920), so an empty list means open only on a site that names a restriction of the kind
 * somewhere, and that no check has contradicted.
 * `site` keeps apart what was learned about another wiki.
 */
export function createDisclosedKinds(store: DecisionStore | undefined, site: string) {
  const disclosed = new Map<string, { discloses: boolean; at: Date }>()
  const changed = new Set<string>()
  const prefix = `${site}/discloses/`
  let loading: Promise<void> | undefined
  let isDistrusted = false

  async function read(): Promise<void> {
    for (const { key, value, checkedAt } of (await store?.read(SITE_SCOPE)) ?? []) {
      if (!key.startsWith(prefix)) continue
      const { discloses } = value as { discloses: boolean }
      if (discloses || Date.now() - checkedAt.getTime() < DISTRUST_MS)
        disclosed.set(key.slice(prefix.length), { discloses, at: checkedAt })
    }
  }

  function set(kind: string, discloses: boolean): void {
    disclosed.set(kind, { discloses, at: new Date() })
    changed.add(kind)
  }

  return {
    load: () => {
      loading ??= read()
      return loading
    },
    discloses: (kind: string): boolean => !isDistrusted && (disclosed.get(kind)?.discloses ?? false),
    /** The wiki answers no checks, so nothing confirms what it discloses in this listing. */
    distrust: () => {
      isDistrusted = true
    },
    add: (containers: ContainerInfo[]) => {
      for (const { type, restrictions } of containers)
        if (restrictions?.restriction.read && !disclosed.has(type)) set(type, true)
    },
    /** A check refused someone below nodes with empty lists. */
    contradict: (kinds: Iterable<string>) => {
      for (const kind of kinds) set(kind, false)
    },
    save: async () => {
      if (changed.size === 0) return
      const put = [...changed].flatMap((kind) => {
        const known = disclosed.get(kind)
        return known
          ? [{ key: prefix + kind, value: { discloses: known.discloses }, checkedAt: known.at }]
          : []
      })
      changed.clear()
      await store?.write(SITE_SCOPE, { put, drop: [] })
    },
  }
}

/** No space has an empty key. */
const SITE_SCOPE = ''
