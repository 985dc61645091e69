import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Flow } from './flow.ts'
import { PLANTED } from './random-edits.ts'
import type { Wiki } from './wiki/start.ts'
import type { World } from './world.ts'

/** When each space was proved, by workflow and key; null if it was only listed in part. */
type Proofs = Map<string, number | null>
type Person = { user: string; groups: string[] }
type Hits = { hits: { record_id: string; title: string | null }[] }
type Freshness = { scopes: { scope: string; proved_at: string | null }[] }
/** `wiki` is what the workflow reads; null after its deletion. */
type Watched = { flow: Flow; wiki: Wiki | null }

const QUERIES = [PLANTED, 'the', 'page', 'title new']
const PAUSE_MS = 400
/** For pages that a person could never read. */
const ALWAYS = 0

/**
 * Searches as random people while jobs run. What it checks: once every space that held a page is proved by a listing that
 * began after a person lost the page, or is not proved at all, no search shows the page to that person. A page is lost if
 * the person may not read it, if it is not current, if the account of the source does not see it, and if the workflow
 * reads another wiki.
 */
export class SearchChecker {
  searches = 0
  hits = 0
  readonly violations: string[] = []
  readonly #world: World
  readonly #watched: Watched[]
  readonly #random: () => number
  readonly #sites: ReadonlySet<string>
  /** Documents by reader. */
  #readable = new Map<string, Set<string>>()
  /** Since when a document is lost, by `user record`. */
  readonly #lost = new Map<string, number>()
  /** The spaces that have held a document, as keys of `Proofs`. */
  readonly #spaces = new Map<string, Set<string>>()
  #people: Person[] = []
  #following: Promise<void> = Promise.resolve()
  #isStopped = false
  #loop: Promise<void> = Promise.resolve()

  constructor(world: World, watched: { flow: Flow; wiki: Wiki }[], random: () => number) {
    this.#world = world
    this.#watched = watched
    this.#random = random
    this.#sites = new Set(watched.map(({ wiki }) => siteOf(wiki)))
  }

  /** Call it after every edit: a page that comes and goes between two calls looks as if it never came. */
  follow(): Promise<void> {
    this.#following = this.#following.then(() => this.#follow())
    return this.#following
  }

  /** The workflow reads another wiki or was deleted: all pages of the old one are lost. */
  async readsFrom(wiki: Wiki | null, { workflowId }: Flow): Promise<void> {
    const watched = this.#watched.find(({ flow }) => flow.workflowId === workflowId)
    assert.ok(watched)
    watched.wiki = wiki
    await this.follow()
  }

  start(): void {
    const pick = <T>(list: readonly T[]) => list[Math.floor(this.#random() * list.length)] as T
    const work = async () => {
      for (; !this.#isStopped; await sleep(PAUSE_MS))
        await this.#search(pick(QUERIES), (people) => [pick(people), pick(people)])
    }
    this.#loop = work().catch((error: unknown) => void this.violations.push(String(error)))
  }

  /** Searches as everyone, so that no round depends on chance alone. */
  async searchAsAll(): Promise<void> {
    await this.#search(PLANTED, (people) => people)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop
  }

  /** Older proofs claim less, so that one reading serves several searches. */
  async #search(query: string, choose: (people: Person[]) => Person[]): Promise<void> {
    const proofs = await this.#proofs()
    if (!proofs) return
    for (const person of choose(this.#people)) await this.#searchAs(person, { query, proofs })
  }

  async #searchAs(as: Person, { query, proofs }: { query: string; proofs: Proofs }): Promise<void> {
    const lost = new Map(this.#lost)
    const readable = this.#readable.get(as.user)
    const path = `/destinations/${this.#watched[0]?.flow.destinationId}/search`
    const found = await this.#get<Hits>(path, { query, as, size: 100, group_by: 'document' })
    if (!found) return
    this.searches++
    this.hits += found.hits.length
    const pair = (recordId: string) => `${as.user} ${recordId}`
    const isSuspect = (recordId: string) =>
      !readable?.has(recordId) && this.#isLostSince(recordId, lost.get(pair(recordId)) ?? ALWAYS, proofs)
    const suspects = found.hits.filter(({ record_id: recordId }) => isSuspect(recordId))
    if (suspects.length === 0) return
    // What changed while it searched decides nothing.
    const after = await this.#proofs()
    await this.follow()
    for (const { record_id: recordId, title } of suspects) {
      const since = lost.get(pair(recordId)) ?? ALWAYS
      const isSame = (this.#lost.get(pair(recordId)) ?? ALWAYS) === since
      const hasNow = this.#readable.get(as.user)?.has(recordId) ?? false
      if (!after || !isSame || hasNow || !this.#isLostSince(recordId, since, proofs, after)) continue
      const proved = [...(this.#spaces.get(recordId) ?? [])].map((key) => [key, proofs.get(key)])
      this.violations.push(
        `${time()} ${as.user} found ${recordId} "${title}", lost since ${time(since)}: ${JSON.stringify(proved)}`,
      )
    }
  }

  /** Whether all spaces of the document were proved later, or stay unproved. */
  #isLostSince(recordId: string, since: number, before: Proofs, after = before): boolean {
    return [...(this.#spaces.get(recordId) ?? [])].every((key) => {
      const provedAt = before.get(key) ?? null
      return provedAt === null ? (after.get(key) ?? null) === null : provedAt > since
    })
  }

  /** Null while the service is away. */
  async #proofs(): Promise<Proofs | null> {
    const proofs: Proofs = new Map()
    for (const { flow, wiki } of this.#watched) {
      if (!wiki) continue
      const freshness = await this.#get<Freshness>(`/workflows/${flow.workflowId}/freshness`)
      if (!freshness) return null
      for (const { scope, proved_at: at } of freshness.scopes)
        proofs.set(`${flow.workflowId} ${scope}`, at === null ? null : Date.parse(at))
    }
    return proofs
  }

  async #get<T>(path: string, body?: object): Promise<T | null> {
    const { api } = this.#world
    const answer = await (body ? api.post<T>(path, body) : api.get<T>(path)).catch(() => null)
    // The service is away while it is killed, and a workflow may be deleted meanwhile.
    if (!answer || [502, 503].includes(answer.status) || (!body && answer.status === 404)) return null
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  async #follow(): Promise<void> {
    const readable = new Map<string, Set<string>>()
    const people = new Map<string, string[]>()
    for (const { wiki, flow } of this.#watched) {
      if (!wiki) continue
      const [readers, truth] = await Promise.all([wiki.control.readers(), wiki.control.truth()])
      const site = siteOf(wiki)
      const spaces = new Set(truth.spaces.flatMap(({ key, status }) => (status === 'current' ? [key] : [])))
      const unseen = new Set(truth.hiddenNodes.crawler)
      for (const { id, status, spaceKey } of truth.pages) {
        if (status !== 'current' || !spaces.has(spaceKey) || unseen.has(id)) continue
        const recordId = `${site}/${id}`
        const held = this.#spaces.get(recordId) ?? new Set()
        this.#spaces.set(recordId, held.add(`${flow.workflowId} ${spaceKey}`))
        for (const user of readers[id] ?? [])
          readable.set(user, (readable.get(user) ?? new Set()).add(recordId))
      }
      for (const { accountId: user, accountType, active } of truth.people) {
        if (accountType !== 'atlassian' || !active) continue
        const groups = truth.groups.filter(({ deleted, members }) => !deleted && members.includes(user))
        // Given with the search, because the service keeps memberships for five minutes.
        // A new address may be unknown to it until then.
        if (!this.#sites.has(site)) people.set(user, people.get(user) ?? [])
        else people.set(user, [...(people.get(user) ?? []), ...groups.map(({ id }) => `${site}/${id}`)])
      }
    }
    const now = Date.now()
    for (const [user, records] of this.#readable)
      for (const record of records)
        if (!readable.get(user)?.has(record)) this.#lost.set(`${user} ${record}`, now)
    // A new group admits them to what it could read at the last listing, so that they lose the rest of it now.
    for (const { user, groups } of this.#people)
      if (people.get(user)?.some((group) => !groups.includes(group)))
        for (const record of this.#spaces.keys()) this.#lost.set(`${user} ${record}`, now)
    for (const [user, records] of readable)
      for (const record of records) this.#lost.delete(`${user} ${record}`)
    this.#readable = readable
    this.#people = [...people].map(([user, groups]) => ({ user, groups }))
  }
}

function siteOf({ siteUrl }: Wiki): string {
  return new URL(siteUrl).host
}

function time(at = Date.now()): string {
  return new Date(at).toISOString()
}
