import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Flow } from './flow.ts'
import type { World } from './world.ts'

type Snapshot = {
  /** Pages by reader. */
  readable: Map<string, Set<string>>
  people: { user: string; groups: string[] }[]
}
type Hits = { hits: { record_id: string; title: string | null }[] }

const QUERIES = ['word', 'less', 'the', 'title new', 'page']
const PAUSE_MS = 150

/**
 * Searches as random people while jobs run. A hit has to be readable in the wiki, or its revocation is so recent that no
 * listing which began after it has ended.
 */
export class SearchChecker {
  searches = 0
  hits = 0
  readonly violations: string[] = []
  readonly #world: World
  readonly #flow: Flow
  readonly #random: () => number
  /** When a page was taken from a reader, by `user page`. */
  readonly #revoked = new Map<string, number>()
  #snapshot: Snapshot = { readable: new Map(), people: [] }
  #isStopped = false
  #loop: Promise<void> = Promise.resolve()

  constructor(world: World, flow: Flow, random: () => number) {
    this.#world = world
    this.#flow = flow
    this.#random = random
  }

  /** Call it after edits, before a job starts. */
  async follow(): Promise<void> {
    const next = await this.#read()
    const now = Date.now()
    for (const [user, pages] of this.#snapshot.readable)
      for (const page of pages)
        if (!next.readable.get(user)?.has(page)) this.#revoked.set(`${user} ${page}`, now)
    for (const [user, pages] of next.readable)
      for (const page of pages) this.#revoked.delete(`${user} ${page}`)
    this.#snapshot = next
  }

  /** A listing that began then has ended well: what was revoked before must not be shown from now on. */
  settle(began: number): void {
    for (const [pair, at] of this.#revoked) if (at <= began) this.#revoked.delete(pair)
  }

  start(): void {
    this.#loop = (async () => {
      for (; !this.#isStopped; await sleep(PAUSE_MS)) await this.#search()
    })()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop
  }

  async #search(): Promise<void> {
    const before = this.#snapshot
    const recent = new Set(this.#revoked.keys())
    const as = pick(before.people, this.#random)
    if (!as) return
    const query = pick(QUERIES, this.#random)
    const path = `/destinations/${this.#flow.destinationId}/search`
    // The service is away while it is killed.
    const answer = await this.#world.api.post<Hits>(path, { query, as, size: 100 }).catch(() => null)
    if (!answer || answer.status === 502 || answer.status === 503) return
    assert.equal(answer.status, 200, answer.text)
    this.searches++
    for (const { record_id: recordId, title } of answer.body.hits) {
      this.hits++
      const page = recordId.split('/').at(-1) ?? ''
      const mayRead = [before, this.#snapshot].some(({ readable }) => readable.get(as.user)?.has(page))
      if (!mayRead && !recent.has(`${as.user} ${page}`))
        this.violations.push(`${new Date().toISOString()} ${as.user} found ${page} "${title}"`)
    }
  }

  async #read(): Promise<Snapshot> {
    const { control } = this.#world.wiki
    const [readers, { people, groups }] = await Promise.all([control.readers(), control.truth()])
    const readable = new Map<string, Set<string>>()
    for (const [page, users] of Object.entries(readers))
      for (const user of users) readable.set(user, (readable.get(user) ?? new Set()).add(page))
    return {
      readable,
      people: people
        .filter(({ accountType, active }) => accountType === 'atlassian' && active)
        .map(({ accountId: user }) => ({
          user,
          // Given with the search, because the service keeps memberships for five minutes.
          groups: groups
            .filter(({ deleted, members }) => !deleted && members.includes(user))
            .map(({ id }) => id),
        })),
    }
  }
}

function pick<T>(list: readonly T[], random: () => number): T | undefined {
  return list[Math.floor(random() * list.length)]
}
