import { generateWiki } from './generator.ts'
import { type ContentNode, noRestrictions, type World } from './model/model.ts'
import type { Settings } from './model/settings.ts'

const FIRST_ID = 1_000_000
const ID_STEP = 7
/** One of so many pages is in a folder of its own, which has the id after the page's. */
const FOLDER_EVERY = 1000
/** One of so many pages is below a page with a higher id. */
const MOVED_EVERY = 97
const RESTRICTED_EVERY = 100
const CHILDREN = 20

/** One space with any number of pages, which are computed from their ids when a response needs them. */
export function largeSpace(pages: number, settings: Partial<Settings>) {
  const world = generateWiki({ spaces: 1, pages: 1, people: 40, groups: 10 }, settings)
  const [space] = world.spaces.values()
  if (!space) throw new Error('the generated wiki has no space')
  space.homepageId = idOf(0)
  const nodes = new LargeSpaceNodes(world, { pages, spaceId: space.id })
  world.nodes = nodes
  return { world, beforeAnswer: (url: string) => nodes.setWindow(url) }
}

const idOf = (index: number): string => String(FIRST_ID + index * ID_STEP)

class LargeSpaceNodes extends Map<string, ContentNode> {
  readonly #pages: number
  readonly #spaceId: string
  readonly #authors: string[]
  readonly #groups: string[]
  /** The pages that the list of the current request can contain. */
  #window = { from: 0, to: 0 }

  constructor(world: World, { pages, spaceId }: { pages: number; spaceId: string }) {
    super()
    this.#pages = pages
    this.#spaceId = spaceId
    this.#authors = [...world.people.values()].filter((each) => each.active).map((each) => each.accountId)
    this.#groups = [...world.groups.values()].filter((each) => !each.deleted).map((each) => each.id)
  }

  setWindow(url: string): void {
    const query = new URL(url, 'http://localhost').searchParams
    const cursor = query.get('cursor')
    const last = cursor
      ? (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { last: string }).last
      : null
    const from = last ? this.#indexOf(last) : 0
    this.#window = { from, to: Math.min(this.#pages, from + Number(query.get('limit') ?? 25) + 2) }
  }

  override get size(): number {
    return this.#pages
  }

  override has(id: string): boolean {
    return this.get(id) !== undefined
  }

  override get(id: string): ContentNode | undefined {
    const index = this.#indexOf(id)
    if (index < 0 || index >= this.#pages) return undefined
    if (id === idOf(index)) return this.#page(index)
    return Number(id) === Number(idOf(index)) + 1 && isInFolder(index) ? this.#folder(index) : undefined
  }

  override *values(): MapIterator<ContentNode> {
    for (let index = this.#window.from; index < this.#window.to; index++) yield this.#page(index)
  }

  #indexOf(id: string): number {
    return Math.floor((Number(id) - FIRST_ID) / ID_STEP)
  }

  #page(index: number): ContentNode {
    const group = this.#groups[index % this.#groups.length] ?? ''
    const restrictions = noRestrictions()
    if (index % RESTRICTED_EVERY === RESTRICTED_EVERY / 2) restrictions.read.groups.push(group)
    return {
      ...this.#node(index, idOf(index)),
      kind: 'page',
      title: `Report of team ${index % 50} about topic ${index}`,
      parentId: this.#parentOf(index),
      labels: index % 2 ? ['kb'] : [],
      restrictions,
    }
  }

  #folder(index: number): ContentNode {
    const id = String(Number(idOf(index)) + 1)
    const parentId = idOf(Math.floor(index / CHILDREN))
    return { ...this.#node(index, id), kind: 'folder', title: `Folder ${index}`, parentId }
  }

  #parentOf(index: number): string | null {
    if (index === 0) return null
    if (isInFolder(index)) return String(Number(idOf(index)) + 1)
    const above = index % MOVED_EVERY === 0 ? index + 5000 : 0
    // Below 10,000 such parents would form cycles.
    return idOf(index > 10_000 && above < this.#pages && above > 0 ? above : Math.floor(index / CHILDREN))
  }

  #node(index: number, id: string) {
    const authorId = this.#authors[index % this.#authors.length] ?? ''
    const createdAt = '2025-03-01T10:00:00.000Z'
    const version = { number: (index % 9) + 1, when: createdAt, by: authorId, message: '', minorEdit: false }
    return {
      ...{ id, status: 'current' as const, spaceId: this.#spaceId, position: index, authorId, createdAt },
      ...{ version, labels: [], restrictions: noRestrictions(), body: { storage: '' }, changed: 0 },
    }
  }
}

const isInFolder = (index: number): boolean => index > 0 && index % FOLDER_EVERY === 0
