import { z } from 'zod'
import type { DecisionStore, KeptDecision } from '../../type.ts'
import type { Space } from '../client.ts'
import { OWN_PAGE } from '../content/file-addresses.ts'
import type { FileReferences } from '../content/file-references.ts'

const keptOwn = z.object({ version: z.string(), files: z.array(z.string()) })
const keptOther = z.object({ space: z.string(), files: z.record(z.string(), z.array(z.string())) })

/** Of the site: references to files of other pages. A scope of the wiki has a key before the slash. */
const SITE_SCOPE = '/files'

/** What bodies of earlier listings show or link to, so that an unchanged page costs no request. */
export type KeptReferences = {
  load(): Promise<void>
  /** The version of the body that is kept for a page. */
  versionOf(pageId: string): string | undefined
  /** The files of the page that its own body names, and those that other pages name. */
  namedOf(page: { id: string; title: string }): Set<string>
  put(pageId: string, version: string, references: FileReferences): void
  /** `isWhole`: the listing saw all pages of the space, so the others are forgotten. */
  save(options: { isWhole: boolean }): Promise<void>
}

export function createKeptReferences(
  store: DecisionStore | undefined,
  { site, space }: { site: string; space: Space },
): KeptReferences {
  const scope = `${space.key}/files`
  const prefix = `${site}/${space.id}/`
  const sitePrefix = `${site}/`
  const own = new Map<string, z.output<typeof keptOwn>>()
  /** By the page that has the references. */
  const others = new Map<string, z.output<typeof keptOther>>()
  /** The pages with references to a page. */
  const linking = new Map<string, Set<string>>()
  const [changed, changedOthers, used] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let foreign: string[] = []
  let loading: Promise<void> | undefined

  async function read(): Promise<void> {
    for (const { key, value } of (await store?.read(scope)) ?? []) {
      const kept = keptOwn.safeParse(value)
      if (key.startsWith(prefix) && kept.success) own.set(key.slice(prefix.length), kept.data)
      else foreign.push(key)
    }
    for (const { key, value } of (await store?.read(SITE_SCOPE)) ?? []) {
      const kept = keptOther.safeParse(value)
      if (key.startsWith(sitePrefix) && kept.success) setOthers(key.slice(sitePrefix.length), kept.data)
    }
  }

  function setOthers(from: string, kept: z.output<typeof keptOther>): void {
    others.set(from, kept)
    for (const page of Object.keys(kept.files)) linking.set(page, (linking.get(page) ?? new Set()).add(from))
  }

  /** The wiki keeps a link to a page that is renamed, so its id replaces its title. */
  function namedByOthers(id: string, title: string): string[] {
    for (const key of [space.key, space.alias]) {
      const byTitle = `${key}/${title}`
      for (const from of linking.get(byTitle) ?? []) {
        const { space: of, files } = others.get(from)!
        const { [byTitle]: named = [], [`/${id}`]: before = [], ...rest } = files
        setOthers(from, { space: of, files: { ...rest, [`/${id}`]: [...before, ...named] } })
        changedOthers.add(from)
      }
      linking.delete(byTitle)
    }
    return [...(linking.get(`/${id}`) ?? [])].flatMap((from) => others.get(from)?.files[`/${id}`] ?? [])
  }

  return {
    load: () => {
      loading ??= read()
      return loading
    },
    versionOf: (pageId) => {
      used.add(pageId)
      return own.get(pageId)?.version
    },
    namedOf: ({ id, title }) => new Set([...(own.get(id)?.files ?? []), ...namedByOthers(id, title)]),
    put: (pageId, version, { [OWN_PAGE]: files = [], ...ofOthers }) => {
      own.set(pageId, { version, files })
      changed.add(pageId)
      if (Object.keys(ofOthers).length === 0 && !others.has(pageId)) return
      setOthers(pageId, { space: space.id, files: ofOthers })
      changedOthers.add(pageId)
    },
    save: async ({ isWhole }) => {
      const isGone = (pageId: string) => isWhole && !used.has(pageId)
      const gone = [...own.keys()].filter(isGone)
      for (const [from, { space: of }] of others)
        if (of === space.id && isGone(from)) {
          setOthers(from, { space: of, files: {} })
          changedOthers.add(from)
        }
      const checkedAt = new Date()
      const row = (key: string, value: unknown): KeptDecision => ({ key, value, checkedAt })
      const put = [...changed].map((pageId) => row(prefix + pageId, own.get(pageId)))
      const drop = [...foreign, ...gone.map((pageId) => prefix + pageId)]
      if (put.length + drop.length > 0) await store?.write(scope, { put, drop })
      const isEmpty = (from: string) => Object.keys(others.get(from)?.files ?? {}).length === 0
      const { true: empty = [], false: filled = [] } = Object.groupBy(
        changedOthers,
        (from) => `${isEmpty(from)}`,
      )
      if (changedOthers.size > 0)
        await store?.write(SITE_SCOPE, {
          put: filled.map((from) => row(sitePrefix + from, others.get(from))),
          drop: empty.map((from) => sitePrefix + from),
        })
      changed.clear()
      changedOthers.clear()
      foreign = []
    },
  }
}
