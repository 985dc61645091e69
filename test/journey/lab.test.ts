import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { NativeQuery } from '../../src/connectors/search.ts'
import type { DocumentReaders, LabComparison } from '../../src/search/shapes/lab.ts'
import type { NamedPrincipals } from '../../src/search/shapes/principals.ts'
import type { Explanation, SearchResults } from '../../src/search/shapes/search.ts'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { plantWords } from '../oracle/planted-wiki.ts'
import { type Flow, makeFlow, run, until } from '../world/flow.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { holds } from '../world/settled.ts'
import { tableOf } from '../world/table-destination.ts'
import { openWorld, type World } from '../world/world.ts'

type As = { user?: string; groups?: string[] }

for (const destination of ['searchindex', 'postgres'] as const)
  describe(`the access lab on ${destination}`, () => accessLab(destination))

function accessLab(destination: 'searchindex' | 'postgres'): void {
  let world: World
  let flow: Flow
  let people: string[]
  let groups: string[]
  let site: string
  /** Who can read each page, by the wiki itself. */
  let readers: Record<string, string[]>
  let truth: Awaited<ReturnType<World['wiki']['control']['truth']>>
  /** Closed and opened in the ledger, but not in the index. */
  let revoked: Set<string>
  let opened: Set<string>
  let ada: PageClient
  let rita: PageClient
  let path: string

  before(async () => {
    world = await openWorld({
      wiki: { seed: 77, pages: 2, spaces: 1, people: 8, groups: 4 },
      destination,
      env: { MILLRACE_RATE_LIMIT: '100000' },
    })
    const planted = await plantWords(world.wiki, { seed: 6, pages: 24 })
    flow = await makeFlow(world, { source: { spaces: planted.spaces } })
    path = `/destinations/${flow.destinationId}`
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await world.destination.refresh()
    truth = await world.wiki.control.truth()
    readers = await world.wiki.control.readers()
    people = truth.people.map(({ accountId }) => accountId)
    groups = truth.groups.filter(({ deleted }) => !deleted).map(({ id }) => id)
    await changeSome()
    const first = await firstAdministrator(world.millrace)
    ada = first.ada
    rita = await joinWorkspace(ada, world.millrace.url ?? '', {
      ...{ email: 'rita@acme.example', role: 'reader', workspace: first.workspace },
    })
  })
  after(() => world?.close())

  /** As a permission pass does when it has read a restriction, before the index is written. */
  async function changeSome(): Promise<void> {
    const db = openDatabase(world.databaseUrl)
    const change = async (entry: string, at: number): Promise<Set<string>> => {
      const access = JSON.stringify({ permissions: [], levels: [{ who: [entry] }] })
      const { rows } = await sql<{ record_id: string }>`
        with changed as (
          insert into permission_sets (workflow_id, key, access, hash, as_of)
          values (${flow.workflowId}::uuid, ${entry}, ${access}::jsonb, '', now()) returning id)
        update wanted_documents set set_id = changed.id from changed
        where record_id in (select record_id from wanted_documents order by record_id limit 3 offset ${at})
        returning record_id`.execute(db)
      return new Set(rows.map(({ record_id: id }) => id))
    }
    revoked = await change('user:no-one', 0)
    opened = await change('class:anonymous-users', 3)
    await closeDatabase(db)
    site = [...revoked][0]!.replace(/[^/]*$/, '')
  }

  async function compare(body: object, by: PageClient = ada): Promise<LabComparison> {
    const { status, text, body: found } = await by.post<LabComparison>(`${path}/compare`, body)
    assert.equal(status, 200, text)
    return found
  }

  async function search(body: object): Promise<SearchResults> {
    const { status, text, body: found } = await ada.post<SearchResults>(`${path}/search`, body)
    assert.equal(status, 200, text)
    return found
  }

  /** All pages of a comparison. */
  async function compareAll(body: object): Promise<LabComparison> {
    const first = await compare(body)
    const documents = [...first.documents]
    for (let { next } = first; next !== null; ) {
      const more = await compare({ ...body, search_after: next })
      documents.push(...more.documents)
      next = more.next
    }
    return { ...first, documents }
  }

  const person = () =>
    fc.oneof(
      fc.constantFrom(...people, '557058:unknown').map((user): As => ({ user })),
      fc.subarray(groups).map((named): As => ({ groups: named })),
      fc.record({ user: fc.constantFrom(...people), groups: fc.subarray(groups) }),
    )

  test('it finds for each person what search finds as them and the wiki lets them read', async () => {
    const statuses = { found: 0, stopped: 0, hidden: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { weight: 1, arbitrary: fc.array(person(), { minLength: 1, maxLength: 1 }) },
          { weight: 4, arbitrary: fc.array(person(), { minLength: 2, maxLength: 3 }) },
        ),
        fc.constantFrom('page', 'page', 'page state'),
        fc.constantFrom(2, 7, 50),
        async (as, query, size) => {
          const facets = ['space_key', 'labels', 'filetype', 'author', 'modified']
          const found = await compareAll({ query, people: as, size, facets })
          const ids = found.documents.map(({ record_id: id }) => id)
          assert.equal(new Set(ids).size, ids.length, 'a document is repeated')
          assert.equal(found.total, ids.length)
          const differing = found.documents.filter(
            ({ people: columns }) => new Set(columns.map(({ status }) => status === 'found')).size > 1,
          )
          assert.equal(found.differ, differing.length)
          assert.equal(found.differ + found.everyone, found.total)
          const [space] = found.documents.flatMap(({ space_key: key }) => key ?? [])
          if (space)
            assert.equal(found.space_names[space], truth.spaces.find(({ key }) => key === space)?.name)
          if (size > found.total)
            assert.deepEqual(found.documents.slice(0, differing.length), differing, 'differences come first')
          for (const [at, { only, found: all }] of found.people.entries()) {
            const finds = found.documents.filter(({ people: columns }) => columns[at]?.status === 'found')
            const alone = finds.filter(
              ({ people: columns }) => columns.filter(({ status }) => status === 'found').length === 1,
            )
            assert.deepEqual([only, all], [as.length > 1 ? alone.length : 0, finds.length])
            if (as.length === 2) assert.equal(only + found.everyone, all)
          }
          const differences = await compareAll({ query, people: as, size, only_differences: true })
          assert.deepEqual(
            differences.documents.map(({ record_id: id }) => id).sort(),
            differing.map(({ record_id: id }) => id).sort(),
          )
          const expected = await Promise.all(
            as.map((each) => search({ query, as: each, group_by: 'document', size: 100 })),
          )
          for (const [at, { hits, total }] of expected.entries()) {
            const searched = new Set(hits.map(({ record_id: id }) => id))
            assert.equal(found.people[at]?.found, total)
            for (const { record_id: id, people: columns } of found.documents) {
              const { status, stopped_by: level } = columns[at]!
              statuses[status]++
              assert.equal(status === 'found', searched.has(id), `${id}: ${status}`)
              const user = as[at]!.user
              const isExact = user && !as[at]!.groups && people.includes(user)
              if (isExact) assert.equal(status === 'found', mayRead(user, id), `${user} ${id}: ${status}`)
              if (!found.people[at]?.active) continue
              if (status !== 'found') assert.equal(status, opened.has(id) ? 'hidden' : 'stopped')
              if (status !== 'stopped') continue
              assert.ok(level, id)
              if (isExact) assert.deepEqual([level.level, level.id], decidingLevel(user, id))
            }
            for (const id of searched) assert.ok(ids.includes(id), `${id} is missing`)
          }
          const spaces = found.facets?.space_key?.reduce((sum, { count }) => sum + count, 0)
          assert.equal(spaces, found.total)
          for (const name of ['labels', 'filetype', 'author', 'modified'] as const)
            assert.ok(found.total === 0 || found.facets?.[name]?.length, name)
        },
      ),
      { numRuns: 18, seed: 3 },
    )
    assert.ok(statuses.found > 100 && statuses.stopped > 10 && statuses.hidden > 0, JSON.stringify(statuses))
  })

  /** From the raw rows of the wiki: the first level from the top that does not name the person. */
  function decidingLevel(user: string, recordId: string): [string, string] {
    const pageId = recordId.slice(site.length)
    const page = truth.pages.find(({ id }) => id === pageId)!
    const members = new Map(truth.groups.map((group) => [group.id, group.deleted ? [] : group.members]))
    const path = [page]
    for (let up = page; up.parentId; path.unshift(up)) up = truth.pages.find(({ id }) => id === up.parentId)!
    const isOpen = Object.entries(readers).some(
      ([id, users]) =>
        users.includes(user) && truth.pages.find((each) => each.id === id)?.spaceId === page.spaceId,
    )
    const stops = path.find(({ restrictions: { read } }) => {
      const isRestricted = read.users.length + read.groups.length > 0
      const isNamed = read.users.includes(user) || read.groups.some((id) => members.get(id)?.includes(user))
      return isRestricted && !isNamed
    })
    if (!isOpen || !stops) return ['space', page.spaceKey]
    return [stops === page ? 'page' : 'ancestor', stops.id]
  }

  test('it answers only for the caller without people, and names others only for administrators', async () => {
    const own = await compare({ query: 'page', size: 50 }, rita)
    assert.deepEqual(
      own.people.map(({ name, user }) => [name, user]),
      [['rita@acme.example', null]],
    )
    assert.ok(own.documents.length > 0)
    for (const { people: columns } of own.documents)
      assert.deepEqual(columns, [{ status: 'found', stopped_by: null }])
    const body = { query: 'page', people: [{ user: people[0] }] }
    assert.equal((await rita.post(`${path}/compare`, body)).status, 403)
    for (const wrong of [
      { query: 'page', people: [] },
      { query: 'page', people: Array(4).fill({ user: people[0] }) },
      { query: 'page', people: [{}] },
      { query: 'page', people: [{ user: people[0] }], search_after: own.next ?? 'invented' },
      { query: 'page', size: 51 },
    ])
      assert.equal((await ada.post(`${path}/compare`, wrong)).status, 422, JSON.stringify(wrong))
    // An API key has no person of its own.
    assert.equal((await world.api.post(`${path}/compare`, { query: 'page' })).status, 422)
    const other = await compare({ query: 'page', people: [{ user: people[0] }, { user: people[0] }] })
    for (const { people: columns } of other.documents) assert.deepEqual(columns[0], columns[1])
    const { body: audit } = await ada.get<{ items: { action: string }[] }>('/audit')
    assert.deepEqual(
      audit.items.slice(0, 2).map(({ action }) => action),
      ['search_as', 'search'],
    )
  })

  test('it names people and groups in comparisons, explanations and on request', async () => {
    const names = new Map(
      truth.people.map((each) => [each.accountId, each.closed ? 'Former user' : each.name]),
    )
    const groupNames = new Map(truth.groups.map(({ id, name, deleted }) => [id, deleted ? null : name]))
    const assertNamed = ({ users, groups: named }: NamedPrincipals) => {
      for (const { id, name } of users) assert.equal(name, names.get(id))
      for (const { id, name } of named) assert.equal(name, groupNames.get(id))
      return users.length + named.length
    }
    const pagesOf = (user: string) => Object.values(readers).filter((each) => each.includes(user)).length
    const [least, second] = people.filter(pagesOf).sort((a, b) => pagesOf(a) - pagesOf(b))
    const most = people.toSorted((a, b) => pagesOf(b) - pagesOf(a))[0]!
    const compared = [most, least!, second!]
    // A response does not wait for names that the wiki shows late; the next one has them.
    await holds(async () => {
      const all = await compareAll({ query: 'page', people: compared.map((user) => ({ user })) })
      assert.deepEqual(
        all.people.map(({ name }) => name),
        compared.map((id) => names.get(id)),
      )
      const stopped = all.documents.flatMap((document) =>
        document.people.flatMap(({ stopped_by: by }, at) =>
          by ? [{ document, by, user: compared[at] }] : [],
        ),
      )
      const count = stopped.reduce((sum, { by }) => sum + assertNamed(by.principals), 0)
      assert.ok(count > 0)
      const { document, by, user } = stopped[0]!
      const { body: why } = await ada.post<Explanation>(`${path}/explain`, {
        ...{ record_id: document.record_id, as: { user } },
      })
      const deciding = why.chain.filter(({ decides }) => decides)
      assert.deepEqual(
        deciding.map(({ id, principals }) => [id, principals]),
        [[by.id, by.principals]],
      )
      const asked = { users: [people[0], '557058:unknown'], groups: [groups[0]] }
      const { body } = await ada.post(`${path}/names`, asked)
      assert.deepEqual(body, {
        users: [
          { id: people[0], name: names.get(people[0]!) },
          { id: '557058:unknown', name: null },
        ],
        groups: [{ id: groups[0], name: groupNames.get(groups[0]!) }],
      })
    })
  })

  // Readers come from the ledger and the wiki alone.
  if (destination === 'searchindex')
    test('it lists exactly the readers that the wiki has, with a level that lets each of them in', async () => {
      const inClass = (user: string, name: string | undefined) => {
        const person = truth.people.find(({ accountId }) => accountId === user)!
        const isPerson = person.accountType === 'atlassian' && person.licensed && !person.guest
        return name === 'class:anonymous-users' || (name === 'class:all-licensed-users' && isPerson)
      }
      let listed = 0
      let inGroups = 0
      for (const { id, spaceKey } of truth.pages.filter(({ spaceKey: key }) => /^PL/.test(key))) {
        const query = new URLSearchParams({ record_id: site + id })
        const answer = await ada.get<DocumentReaders>(`${path}/readers?${query}`)
        const allowed = (readers[id] ?? []).filter(() => !revoked.has(site + id))
        if (answer.status === 404 || opened.has(site + id)) continue
        assert.equal(answer.status, 200, answer.text)
        const { body: found } = answer
        assert.ok(found.complete, found.reason ?? '')
        assert.equal(found.levels[0]?.id, spaceKey)
        assert.equal(found.total_people, found.people.length)
        listed += found.people.length
        inGroups += found.groups.length
        const everyone = allowed.filter((user) => inClass(user, found.everyone ?? undefined))
        const all = new Set([...everyone, ...found.people.map((each) => each.id)])
        assert.deepEqual([...all].sort(), allowed.toSorted(), `${id} ${answer.text}`)
        for (const { through } of found.people) assert.equal(through.length, found.levels.length)
        for (const { id: group } of found.groups)
          for (const user of truth.groups.find((each) => each.id === group)?.members ?? [])
            assert.ok(allowed.includes(user) || !isActive(user), `${group} ${user}`)
      }
      assert.ok(listed > 10 && inGroups > 0, `${listed} ${inGroups}`)
      for (const wrong of ['nothing', `${site}999999`, `${site}1\0`])
        assert.ok(
          [404, 422].includes(
            (await ada.get(`${path}/readers?${new URLSearchParams({ record_id: wrong })}`)).status,
          ),
        )
      assert.equal((await rita.get(`${path}/readers?record_id=${site}1`)).status, 403)
    })

  test('it gives the query of the destination itself, which finds the same, and when it was written', async () => {
    const user = people.find((each) =>
      [...revoked].some((id) => readers[id.slice(site.length)]?.includes(each)),
    )!
    const body = { query: 'page', as: { user }, size: 100 }
    const { status, body: native, text } = await ada.post<NativeQuery>(`${path}/native-query`, body)
    assert.equal(status, 200, text)
    const ids =
      native.sql === null
        ? await idsOfIndex(native.request!)
        : (await tableOf(world).query<{ record_id: string }>(native.sql)).map((row) => row.record_id)
    const expected = (await search(body)).hits.map((hit) => hit.record_id)
    assert.deepEqual(ids.filter((id) => !revoked.has(id)).sort(), expected.sort())
    const { search_api_key: key, password } = world.destination.config as Record<string, string>
    for (const secret of [key, password]) assert.ok(!secret || !text.includes(secret))
    assert.equal((await rita.post(`${path}/native-query`, { query: 'page' })).status, 403)
    const { body: listed } =
      await rita.get<{ id: string; last_written_at: string | null }[]>('/search/destinations')
    const written = listed.find(({ id }) => id === flow.destinationId)?.last_written_at
    assert.ok(written && Date.now() - Date.parse(written) < 600_000, written ?? 'never')
  })

  if (destination === 'searchindex')
    test('it remembers names, and leaves out those of a wiki that does not answer', async () => {
      const { control } = world.wiki
      const ask = async (users: string[]) => {
        const { status, body, text } = await ada.post<{ users: { name: string | null }[] }>(`${path}/names`, {
          users,
        })
        assert.equal(status, 200, text)
        return body.users.map(({ name }) => name)
      }
      const [known] = await until(
        () => ask([people[0]!]),
        ([name]) => name !== null,
      )
      await control.fail({ path: 'users-bulk|/user', breaks: 'hang' })
      assert.deepEqual(await ask([people[0]!, '557058:new']), [known, null])
      await control.clearFaults()
    })

  async function idsOfIndex({ path: at, method, body }: NonNullable<NativeQuery['request']>) {
    const response = await world.engine.adminFetch(at, { method, body })
    const { hits } = (await response.json()) as { hits: { hits: { _source: { record_id: string } }[] } }
    return hits.hits.map(({ _source }) => _source.record_id)
  }

  const isActive = (user: string) => {
    const person = truth.people.find(({ accountId }) => accountId === user)
    return person?.active && !person.closed
  }

  const mayRead = (user: string, recordId: string) =>
    !revoked.has(recordId) && (readers[recordId.slice(site.length)] ?? []).includes(user)
}
