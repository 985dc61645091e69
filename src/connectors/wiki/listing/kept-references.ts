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
export class KeptReferences {
  readonly #store: DecisionStore | undefined
  readonly #space: Space
  readonly #sitePrefix: string
  readonly #prefix: string
  readonly #own = new Map<string, z.output<typeof keptOwn>>()
  /** By the page that has the references. */
  readonly #others = new Map<string, z.output<typeof keptOther>>()
  /** The pages with references to a page. */
  readonly #linking = new Map<string, Set<string>>()
  readonly #changed = new Set<string>()
  readonly #changedOthers = new Set<string>()
  readonly #used = new Set<string>()
  #foreign: string[] = []
  #loading: Promise<void> | undefined

  constructor(store: DecisionStore | undefined, { site, space }: { site: string; space: Space }) {
    this.#store = store
    this.#space = space
    this.#sitePrefix = `${site}/`
    this.#prefix = `${site}/${space.id}/`
  }

  load(): Promise<void> {
    this.#loading ??= this.#read()
    return this.#loading
  }

  /** The version of the body that is kept for a page. */
  versionOf(pageId: string): string | undefined {
    this.#used.add(pageId)
    return this.#own.get(pageId)?.version
  }

  /** The files of the page that its own body names, and those that other pages name. */
  namedOf({ id, title }: { id: string; title: string }): Set<string> {
    return new Set([...(this.#own.get(id)?.files ?? []), ...this.#namedByOthers(id, title)])
  }

  put(pageId: string, version: string, { [OWN_PAGE]: files = [], ...ofOthers }: FileReferences): void {
    this.#own.set(pageId, { version, files })
    this.#changed.add(pageId)
    if (Object.keys(ofOthers).length > 0 || this.#others.has(pageId))
      this.#changeOthers(pageId, { space: this.#space.id, files: ofOthers })
  }

  /** `isWhole`: the listing saw all pages of the space, so the others are forgotten. */
  async save({ isWhole }: { isWhole: boolean }): Promise<void> {
    const isGone = (pageId: string) => isWhole && !this.#used.has(pageId)
    const gone = [...this.#own.keys()].filter(isGone)
    for (const [from, { space }] of this.#others)
      if (space === this.#space.id && isGone(from)) this.#changeOthers(from, { space, files: {} })
    const checkedAt = new Date()
    const row = (key: string, value: unknown): KeptDecision => ({ key, value, checkedAt })
    const put = [...this.#changed].map((pageId) => row(this.#prefix + pageId, this.#own.get(pageId)))
    const drop = [...this.#foreign, ...gone.map((pageId) => this.#prefix + pageId)]
    if (put.length + drop.length > 0) await this.#store?.write(this.#scope, { put, drop })
    const isEmpty = (from: string) => Object.keys(this.#others.get(from)?.files ?? {}).length === 0
    const changed = [...this.#changedOthers]
    if (changed.length > 0)
      await this.#store?.write(SITE_SCOPE, {
        put: changed
          .filter((from) => !isEmpty(from))
          .map((from) => row(this.#sitePrefix + from, this.#others.get(from))),
        drop: changed.filter(isEmpty).map((from) => this.#sitePrefix + from),
      })
    this.#changed.clear()
    this.#changedOthers.clear()
    this.#foreign = []
  }

  get #scope(): string {
    return `${this.#space.key}/files`
  }

  async #read(): Promise<void> {
    for (const { key, value } of (await this.#store?.read(this.#scope)) ?? []) {
      const kept = keptOwn.safeParse(value)
      if (key.startsWith(this.#prefix) && kept.success)
        this.#own.set(key.slice(this.#prefix.length), kept.data)
      else this.#foreign.push(key)
    }
    for (const { key, value } of (await this.#store?.read(SITE_SCOPE)) ?? []) {
      const kept = keptOther.safeParse(value)
      if (key.startsWith(this.#sitePrefix) && kept.success)
        this.#setOthers(key.slice(this.#sitePrefix.length), kept.data)
    }
  }

  #setOthers(from: string, kept: z.output<typeof keptOther>): void {
    this.#others.set(from, kept)
    for (const page of Object.keys(kept.files))
      this.#linking.set(page, (this.#linking.get(page) ?? new Set()).add(from))
  }

  #changeOthers(from: string, kept: z.output<typeof keptOther>): void {
    this.#setOthers(from, kept)
    this.#changedOthers.add(from)
  }

  /** The wiki keeps a link to a page that is renamed, so its id replaces its title. */
  #namedByOthers(id: string, title: string): string[] {
    const byId = `/${id}`
    for (const key of [this.#space.key, this.#space.alias]) {
      const byTitle = `${key}/${title}`
      for (const from of this.#linking.get(byTitle) ?? []) {
        const { space, files } = this.#others.get(from)!
        const { [byTitle]: named = [], [byId]: before = [], ...rest } = files
        this.#changeOthers(from, { space, files: { ...rest, [byId]: [...before, ...named] } })
      }
      this.#linking.delete(byTitle)
    }
    return [...(this.#linking.get(byId) ?? [])].flatMap((from) => this.#others.get(from)?.files[byId] ?? [])
  }
}
