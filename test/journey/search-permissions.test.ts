import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { may } from '../oracle/oracle.ts'
import { plantWords } from '../oracle/planted-wiki.ts'
import type { RawWiki } from '../oracle/random-wiki.ts'
import { contents } from '../world/agreement.ts'
import { type ApiResponse, apiOf } from '../world/api.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { firstAdministrator, joinWorkspace, type Session } from '../world/person.ts'
import { TEST_KEY } from '../world/service.ts'
import { openWorld, type World } from '../world/world.ts'

type As = { user?: string; groups?: string[] }
type Client = {
  get<T>(path: string): Promise<ApiResponse<T>>
  post<T>(path: string, body: object): Promise<ApiResponse<T>>
}
type Part = { element_id: string; text: string }
type Hit = Part & {
  record_id: string
  space_key: string
  passages?: Part[]
  neighbours?: { before: Part[]; after: Part[] }
  why?: { levels: { by: string[] }[] } | null
}
type Found = {
  total: number
  total_relation: string
  hits: Hit[]
  next: string | null
  facets?: Record<string, { value: string; count: number }[]>
  facets_relation?: string
}
type Page = { id: string; space: string; labels: string[]; elements: Set<string> }

const CALLERS = ['full key', 'search key', 'personal token', 'session'] as const
type Caller = (typeof CALLERS)[number]
const LABELS = ['alpha', 'beta', 'gamma']
const FACETS = ['space_key', 'labels', 'filetype', 'author', 'modified']

/** The oracle decides from the raw rows of a random wiki; the service answers over HTTP. */
for (const destination of ['searchindex', 'postgres'] as const)
  describe(`search in ${destination}, reading and explanations as any person`, () =>
    searchAsAnyone(destination))

function searchAsAnyone(destination: 'searchindex' | 'postgres'): void {
  let world: World
  let flow: Flow
  let site: string
  let people: string[]
  let groups: { id: string; members: string[] }[]
  let spaces: Map<string, RawWiki>
  let readers: Record<string, string[]>
  const pages = new Map<string, Page>()
  /** Revoked in the ledger, but not in the index. */
  let revoked: Set<string>
  const clients = {} as Record<Caller, Client>
  /** The account of the personal token's person. */
  let linked: string

  before(async () => {
    world = await openWorld({
      wiki: { seed: 77, pages: 2, spaces: 1, people: 8, groups: 4 },
      destination,
      env: { MILLRACE_RATE_LIMIT: '100000' },
    })
    const planted = await plantWords(world.wiki, { seed: 5, pages: 40 })
    flow = await makeFlow(world, { source: { spaces: planted.spaces } })
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await world.destination.refresh()
    await readTruth()
    await revokeSome()
    await signIn()
  })
  after(() => world?.close())

  async function readTruth(): Promise<void> {
    const { control } = world.wiki
    const truth = await control.truth()
    readers = await control.readers()
    people = truth.people.map(({ accountId }) => accountId)
    groups = truth.groups.filter(({ deleted }) => !deleted)
    const labels = new Map(truth.pages.map((page) => [page.id, page.labels]))
    for (const { _source } of await contents(world)) {
      const id = _source.record_id.split('/').at(-1) ?? ''
      const space = _source.metadata.data_source.record_locator.space_key
      site = _source.record_id.slice(0, -id.length)
      const page = pages.get(id) ?? { id, space, labels: labels.get(id) ?? [], elements: new Set() }
      page.elements.add(_source.element_id)
      pages.set(id, page)
    }
    spaces = new Map(
      truth.spaces.map(({ key, id: spaceId, permissions }): [string, RawWiki] => [
        key,
        {
          accounts: [],
          groups: truth.groups,
          grants: permissions.map(({ principal, operation }) => ({
            kind: principal.type === 'access-class' ? 'class' : principal.type,
            id: principal.id,
            operation: `${operation.key}/${operation.targetType}`,
          })),
          nodes: truth.pages
            .filter((page) => page.spaceId === spaceId)
            .map(({ id, parentId, restrictions }) => ({
              ...{ id, kind: 'page' as const, parent: parentId ?? null, creator: null },
              read: { ...restrictions.read, lost: 0 },
              update: { ...restrictions.update, lost: 0 },
            })),
          superGroup: null,
        },
      ]),
    )
  }

  /** As a permission pass does when it has read a restriction, before the index is written. */
  async function revokeSome(): Promise<void> {
    revoked = new Set([...pages.keys()].filter((_, at) => at % 7 === 0))
    const db = openDatabase(world.databaseUrl)
    await sql`with closed as (
        insert into permission_sets (workflow_id, key, access, hash, as_of)
        values (${flow.workflowId}::uuid, 'closed', '{"permissions": [], "levels": [{"who": ["user:no-one"]}]}', '', now())
        returning id)
      update wanted_documents set set_id = closed.id from closed
      where record_id = any(${[...revoked].map((id) => site + id)}::text[])`.execute(db)
    await closeDatabase(db)
  }

  async function signIn(): Promise<void> {
    const url = world.millrace.url ?? ''
    const { ada, workspace } = await firstAdministrator(world.millrace)
    const rita = await joinWorkspace(ada, url, { email: 'rita@acme.example', role: 'reader', workspace })
    const vic = await joinWorkspace(ada, url, { email: 'vic@acme.example', role: 'reader', workspace })
    linked = people.find((each) => allowed({ user: each }).size > allowed({}).size) ?? ''
    assert.ok(linked)
    await link((await rita.get<Session>('/session')).body.user.id)
    const key = await ada.post<{ key: string }>('/keys', {
      ...{ name: 'assistant', scope: 'search', may_impersonate: true },
    })
    const token = await rita.post<{ token: string }>('/personal-tokens', { name: 'mine' })
    clients['full key'] = apiOf(url, TEST_KEY)
    clients['search key'] = apiOf(url, key.body.key)
    clients['personal token'] = apiOf(url, token.body.token)
    clients.session = vic
  }

  /** As if Rita had linked her account of the wiki; Vic has none. */
  async function link(userId: string): Promise<void> {
    const db = openDatabase(world.databaseUrl)
    await sql`insert into identities (workspace_id, source_id, kind, value, account, origin)
      select workspace_id, id, 'member', ${userId}, ${linked}, 'link' from connectors
      where id = ${flow.sourceId}::uuid`.execute(db)
    await closeDatabase(db)
  }

  const mayName = (caller: Caller) => caller === 'full key' || caller === 'search key'

  /** What the oracle allows; a person without an account is a visitor. */
  function allowed({ user, ...rest }: As): Set<string> {
    const as: As = { ...rest, ...(user && people.includes(user) ? { user } : {}) }
    const ids = [...pages.values()].filter(({ id, space }) => {
      if (revoked.has(id)) return false
      if (as.user && !as.groups) return readers[id]?.includes(as.user)
      const wiki = spaces.get(space)!
      const node = wiki.nodes.find((each) => each.id === id)!
      // Named groups replace those of the wiki; the person keeps their own grants and classes.
      const person = as.user ?? '(someone)'
      const members = wiki.groups.map((group) => {
        const others = group.members.filter((member) => member !== person)
        return { ...group, members: as.groups?.includes(group.id) ? [...others, person] : others }
      })
      // Like a guest, someone of whom only groups are known has these and what visitors have.
      const kind = as.user ? ('person' as const) : as.groups ? ('guest' as const) : ('visitor' as const)
      return may({ ...wiki, groups: members }, { id: person, kind, classes: [] }, node, 'read')
    })
    return new Set(ids.map(({ id }) => id))
  }

  const pageOf = (recordId: string) => recordId.split('/').at(-1) ?? ''

  function assertAllowed(found: Found, { may, request }: { may: Set<string>; request: SearchRequest }): void {
    const where = JSON.stringify(request)
    for (const hit of found.hits) {
      const page = pages.get(pageOf(hit.record_id))
      assert.ok(page && may.has(page.id), `${hit.record_id} was found: ${where}`)
      const around = [...(hit.neighbours?.before ?? []), ...(hit.neighbours?.after ?? [])]
      for (const { element_id: id } of [hit, ...(hit.passages ?? []), ...around])
        assert.ok(page.elements.has(id), `${id} is not part of ${hit.record_id}`)
      if (request.filters?.space_key) assert.equal(page.space, request.filters.space_key)
      if (request.filters?.labels) assert.ok(page.labels.includes(request.filters.labels[0]!))
    }
    const readable = [...may].map((id) => pages.get(id)!)
    const most = request.group_by
      ? readable.length
      : readable.reduce((sum, { elements }) => sum + elements.size, 0)
    assert.ok(found.total <= most && found.total_relation === 'eq', `${found.total} of ${most}: ${where}`)
    for (const [name, counts] of Object.entries(found.facets ?? {}))
      for (const { value, count } of counts) {
        const having = readable.filter(({ space, labels }) =>
          name === 'space_key' ? space === value : name === 'labels' ? labels.includes(value) : true,
        )
        assert.ok(count <= having.length, `${name} ${value}: ${count} of ${having.length}: ${where}`)
      }
  }

  type SearchRequest = {
    query: string
    size: number
    as?: As
    filters?: { space_key?: string; labels?: string[]; ancestors?: string[]; modified?: { gte: string } }
    facets?: string[]
    group_by?: 'document'
    neighbours?: number
    why?: boolean
  }

  const drawn = () =>
    fc.record({
      caller: fc.constantFrom(...CALLERS),
      as: fc.record(
        {
          user: fc.constantFrom(...people, '557058:unknown'),
          groups: fc.subarray(groups.map(({ id }) => id)),
        },
        { requiredKeys: [] },
      ),
      request: fc.record(
        {
          query: fc.constantFrom('page', 'page state', 'zqp0003x', 'alpha'),
          size: fc.constantFrom(1, 3, 10, 100),
          filters: fc.oneof(
            { weight: 3, arbitrary: fc.constant({}) },
            { weight: 1, arbitrary: fc.record({ space_key: fc.constantFrom('PLA', 'PLB', 'PLC', 'PLD') }) },
            { weight: 1, arbitrary: fc.record({ labels: fc.constantFrom(...LABELS.map((each) => [each])) }) },
            {
              weight: 1,
              arbitrary: fc.record({ ancestors: fc.constantFrom(...[...pages.keys()].map((id) => [id])) }),
            },
            {
              weight: 1,
              arbitrary: fc.record({
                modified: fc.constantFrom({ gte: '2000-01-01' }, { gte: '2999-01-01' }),
              }),
            },
          ),
          facets: fc.subarray(FACETS),
          group_by: fc.constant('document' as const),
          neighbours: fc.integer({ min: 0, max: 3 }),
          why: fc.boolean(),
        },
        { requiredKeys: ['query', 'size'] },
      ),
      page: fc.constantFrom(...pages.keys()),
    })

  test('it returns no document that the oracle denies, and counts none', async () => {
    let hits = 0
    await fc.assert(
      fc.asyncProperty(drawn(), async ({ caller, as, request, page }) => {
        const client = clients[caller]
        const path = `/destinations/${flow.destinationId}`
        const named = mayName(caller) && (as.user || as.groups) ? { as } : {}
        const body: SearchRequest = { ...(request as SearchRequest), ...named }
        const answer = await client.post<Found>(`${path}/search`, body)
        if (mayName(caller) && !('as' in named)) {
          assert.equal(answer.status, 422, answer.text)
          return
        }
        assert.equal(answer.status, 200, answer.text)
        const may = allowed(caller === 'personal token' ? { user: linked } : (named.as ?? {}))
        const seen: string[] = []
        let found = answer.body
        for (let pagesRead = 1; ; pagesRead++) {
          assertAllowed(found, { may, request: body })
          hits += found.hits.length
          seen.push(...found.hits.map((hit) => (body.group_by ? hit.record_id : hit.element_id)))
          if (found.next === null || pagesRead === 4) break
          const more = await client.post<Found>(`${path}/search`, { ...body, search_after: found.next })
          assert.equal(more.status, 200, more.text)
          found = more.body
        }
        assert.equal(new Set(seen).size, seen.length, 'a hit is repeated')
        if (found.next === null) assert.equal(seen.length, found.total, 'a hit is missing')

        const query = new URLSearchParams([
          ...(named.as?.user ? [['user', named.as.user]] : []),
          ...(named.as?.groups ?? []).map((group) => ['groups', group]),
        ] as [string, string][])
        // A query cannot name an empty list of groups.
        if (named.as?.groups?.length === 0) return
        const document = encodeURIComponent(site + page)
        const read = await client.get<{ record_id: string }>(`${path}/documents/${document}?${query}`)
        // A guest or a closed account may read less than the oracle assumes for a person with given groups.
        const isExact = !(named.as?.user && named.as.groups)
        if (isExact || !may.has(page))
          assert.equal(read.status, may.has(page) ? 200 : 404, `${page} ${read.text}`)
        if (mayName(caller)) return
        const explained = await client.post(`${path}/explain`, { record_id: site + page })
        if (caller === 'session') assert.equal(explained.status, may.has(page) ? 200 : 404, explained.text)
        else assert.equal(explained.status, 403)
      }),
      { numRuns: 80, seed: 14 },
    )
    assert.ok(hits > 200, `only ${hits} hits were checked`)
  })

  test('it answers alike for documents that are denied, unknown or malformed', async () => {
    const denied = [...revoked][0]!
    const path = (record: string) =>
      `/destinations/${flow.destinationId}/documents/${record}?user=${people[0]}`
    const answers = await Promise.all(
      [encodeURIComponent(site + denied), `${site}${denied}`, `${site}999999`, 'nothing', 'a%2Fb'].map(
        (record) => clients['full key'].get(path(record)),
      ),
    )
    for (const { status, text } of answers) {
      assert.equal(status, 404)
      assert.equal(text, answers[0]!.text)
    }
  })

  test('it refuses the cursor of another person, filter or destination', async () => {
    const path = `/destinations/${flow.destinationId}/search`
    const user = people.find((each) => allowed({ user: each }).size > 3)!
    const body = { query: 'page', size: 1, as: { user } }
    const { next } = (await clients['full key'].post<Found>(path, body)).body
    assert.ok(next)
    for (const changed of [
      { as: { user: people.find((each) => each !== user) } },
      { filters: { space_key: 'PLA' } },
      { query: 'state' },
      { group_by: 'document' },
      { from: 1 },
    ]) {
      const answer: ApiResponse = await clients['full key'].post(path, {
        ...body,
        search_after: next,
        ...changed,
      })
      assert.equal(answer.status, 422, answer.text)
    }
    const resized = await clients['full key'].post(path, { ...body, size: 5, search_after: next })
    assert.equal(resized.status, 200, resized.text)
  })
}
