import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { DocumentReaders, LabComparison } from '../../src/search/shapes/lab.ts'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import { openWorld, type World } from '../world/world.ts'

type Found = { hits: { title: string }[] }
type Tokens = { tokens: string[]; sites: string[]; expires_at: string }

const read = { key: 'read', targetType: 'space' }
const small = { pages: 8, spaces: 1, people: 4, groups: 2 }

/** A page for a group of the same name on each wiki, and one member of it. */
async function prepare({ control }: Wiki, name: string): Promise<string> {
  const accountId = `557058:${name}`
  await control.addPerson({ accountId, name })
  await control.addGroup({ id: `id-of-${name}`, name: 'millers', members: [accountId] })
  const principal = { type: 'group' as const, id: `id-of-${name}` }
  await control.addSpace({ key: 'ZEB', name: 'Zebras', permissions: [{ principal, operation: read }] })
  await control.createPage({ space: 'ZEB', title: `Zebra of ${name}`, body: '<p>The quagga is gone.</p>' })
  const odd = `id-of-odd-${name}`
  await control.addGroup({ id: odd, name: `millers, "odd" / ${name}`, members: [accountId] })
  const oddOnes = { type: 'group' as const, id: odd }
  await control.addSpace({ key: 'ODD', name: 'Odd', permissions: [{ principal: oddOnes, operation: read }] })
  await control.createPage({
    space: 'ODD',
    title: `Zebra of ${name}, odd`,
    body: '<p>The quagga is gone.</p>',
  })
  const { people } = await control.truth()
  return people.find((person) => person.accountId === accountId)!.userKey
}

describe('two Data Center wikis with equal group names in one index', () => {
  let world: World
  let other: Wiki
  let flow: Flow
  let [ann, ben, sites] = ['', '', [] as string[]]
  before(async () => {
    world = await openWorld({
      wiki: { seed: 31, ...small },
      env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' },
    })
    other = await startWiki({ seed: 32, ...small })
    ann = await prepare(world.wiki, 'ann')
    ben = await prepare(other, 'ben')
    sites = [world.wiki, other].map(({ dataCenterUrl }) => dataCenterUrl.replace(/^https?:\/\//, ''))
    const source = ({ dataCenterUrl }: Wiki) => ({
      url: dataCenterUrl,
      username: undefined,
      token: accounts.crawler.pat,
      cloud: false,
    })
    flow = await makeFlow(world, { source: source(world.wiki) })
    const second = await makeFlow(world, {
      source: source(other),
      suffix: '-other',
      workflow: { destination_id: flow.destinationId },
    })
    for (const each of [flow, second])
      assert.equal((await run(world, each)).details.processing_status, 'SUCCESS')
    await world.destination.refresh()
  })
  after(async () => {
    await other.stop()
    await world.close()
  })

  const path = () => `/destinations/${flow.destinationId}`
  const found = async (as: object) => {
    const answer = await world.api.post<Found>(`${path()}/search`, { query: 'quagga', as, size: 50 })
    assert.equal(answer.status, 200, answer.text)
    return [...new Set(answer.body.hits.map(({ title }) => title))].sort()
  }

  test('it shows members of one group nothing of the other', async () => {
    assert.deepEqual(await found({ user: ann }), ['Zebra of ann', 'Zebra of ann, odd'])
    assert.deepEqual(await found({ user: ben }), ['Zebra of ben', 'Zebra of ben, odd'])
  })

  test('it explains each page by the groups of its own wiki', async () => {
    const pages = new Map<string, string>()
    for (const user of [ann, ben]) {
      const body = { query: 'quagga', as: { user } }
      const { hits } = (
        await world.api.post<{ hits: { record_id: string; title: string }[] }>(`${path()}/search`, body)
      ).body
      pages.set(user, hits.find(({ title }) => !title.includes('odd'))!.record_id)
    }
    for (const user of [ann, ben])
      for (const [owner, record_id] of pages) {
        const body = { record_id, as: { user } }
        const answer = await world.api.post<{ allowed: boolean; chain: { by: string | null }[] }>(
          `${path()}/explain`,
          body,
        )
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.body.allowed, owner === user)
        if (owner === user) assert.equal(answer.body.chain[0]?.by, 'group:millers')
      }
  })

  test('it compares people of both wikis, and names the groups of each page', async () => {
    const body = { query: 'quagga', people: [{ user: ann }, { user: ben }], size: 50 }
    const { status, body: compared, text } = await world.api.post<LabComparison>(`${path()}/compare`, body)
    assert.equal(status, 200, text)
    assert.deepEqual(
      compared.people.map(({ name, found: count }) => [name, count]),
      [
        ['ann', 2],
        ['ben', 2],
      ],
    )
    const rows = compared.documents.map(({ title, people: [first, second] }) => {
      const by = (first?.stopped_by ?? second?.stopped_by)?.principals.groups
      return [title, first?.status, second?.status, by] as const
    })
    const byTitle = (a: readonly unknown[], b: readonly unknown[]) => String(a[0]).localeCompare(String(b[0]))
    const group = (name: string) => ['confluence-administrators', name].map((id) => ({ id, name: id }))
    assert.deepEqual(rows.toSorted(byTitle), [
      ['Zebra of ann', 'found', 'stopped', group('millers')],
      ['Zebra of ann, odd', 'found', 'stopped', group('millers, "odd" / ann')],
      ['Zebra of ben', 'stopped', 'found', group('millers')],
      ['Zebra of ben, odd', 'stopped', 'found', group('millers, "odd" / ben')],
    ])
    for (const { record_id, title } of compared.documents) {
      const query = new URLSearchParams({ record_id })
      const { body: listed } = await world.api.get<DocumentReaders>(`${path()}/readers?${query}`)
      const [name, other] = title?.includes('ann') ? ['ann', 'ben'] : ['ben', 'ann']
      // Data Center does not list the members of a group with a slash in its name.
      const isOdd = title?.includes('odd') ?? false
      assert.deepEqual([listed.complete, listed.everyone], [!isOdd, null])
      const names = listed.people.map((each) => each.name)
      assert.deepEqual(
        [names.includes(name!), names.includes(other!)],
        [!isOdd, false],
        JSON.stringify(listed),
      )
    }
    const groups = [`${sites[0]}/millers%2C %22odd%22 %2F ann`]
    const { body: named } = await world.api.post<{ groups: { name: string }[] }>(`${path()}/names`, {
      groups,
    })
    assert.equal(named.groups[0]?.name, 'millers, "odd" / ann')
  })

  test('it takes groups of a request only with their site', async () => {
    assert.deepEqual(await found({ groups: [`${sites[0]}/millers`] }), ['Zebra of ann'])
    assert.deepEqual(await found({ groups: sites.map((site) => `${site}/millers`) }), [
      'Zebra of ann',
      'Zebra of ben',
    ])
    const bare = { query: 'quagga', as: { groups: ['millers'] } }
    const answer = await world.api.post(`${path()}/search`, bare)
    assert.equal(answer.status, 422, answer.text)
    for (const part of ['SITE/NAME', ...sites]) assert.ok(answer.text.includes(part), answer.text)
  })

  test('it gives readers of the index the tokens of a person, each with its site', async () => {
    const { status, body, text } = await world.api.get<Tokens>(`${path()}/tokens?user=${ann}`)
    assert.equal(status, 200, text)
    assert.ok(body.tokens.includes(`group:${sites[0]}/millers`), text)
    assert.ok(!body.tokens.some((token) => token === 'group:millers' || token.includes(sites[1]!)), text)
    assert.ok(body.tokens.includes(`user:${ann}`) && body.tokens.includes('class:anonymous-users'))
    assert.deepEqual(body.sites, sites.toSorted())
    const left = new Date(body.expires_at).getTime() - Date.now()
    assert.ok(left > 0 && left <= 5 * 60_000, body.expires_at)
  })

  test('it gives a deactivated account no tokens, an unknown one those of a visitor, and notes each', async () => {
    const gone = { accountId: '557058:gone', name: 'gone', active: false }
    await world.wiki.control.addPerson(gone)
    const { people } = await world.wiki.control.truth()
    const key = people.find(({ accountId }) => accountId === gone.accountId)!.userKey
    const tokens = async (user: string) =>
      (await world.api.get<Tokens>(`${path()}/tokens?user=${user}`)).body.tokens
    assert.deepEqual(await tokens(key), [])
    assert.deepEqual(await tokens('unheard-of'), ['class:anonymous-users'])

    const db = openDatabase(world.databaseUrl)
    const { rows } = await sql<{ actor: string; subject: object }>`select actor, subject from audit
      where action = 'tokens_as' order by id desc limit 2`.execute(db)
    await closeDatabase(db)
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      ['unheard-of', key].map((user) => ({ destination: flow.destinationId, as: { user } })),
    )
    for (const { actor } of rows) assert.ok(actor)
  })

  test('it counts neither account nor groups without access to the product, not even groups of a request', async () => {
    const { control } = world.wiki
    // Earlier versions do not tell who may use the product.
    await control.set({ dcVersion: '9.3.0' })
    await control.addPerson({ accountId: '557058:una', name: 'una', licensed: false })
    await control.addMember('id-of-ann', '557058:una')
    const { people } = await control.truth()
    const una = people.find(({ accountId }) => accountId === '557058:una')!.userKey
    const { body } = await world.api.get<Tokens>(`${path()}/tokens?user=${una}`)
    const expected = ['class:anonymous-users', `class:${sites[0]}/authenticated-users`]
    assert.deepEqual(body.tokens.toSorted(), expected.toSorted())
    assert.deepEqual(await found({ user: una }), [])
    assert.deepEqual(await found({ user: una, groups: [`${sites[0]}/millers`] }), [])
  })

  test('it takes the group of a token as it is written there', async () => {
    const { body } = await world.api.get<Tokens>(`${path()}/tokens?user=${ann}`)
    const group = body.tokens.find((token) => token.startsWith('group:') && token.includes('%2C'))!
    assert.ok(group.endsWith('/millers%2C %22odd%22 %2F ann'), group)
    assert.deepEqual(await found({ groups: [group.slice('group:'.length)] }), ['Zebra of ann, odd'])
  })
})
