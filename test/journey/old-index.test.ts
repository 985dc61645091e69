import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { contents } from '../world/agreement.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { openWorld, type World } from '../world/world.ts'

type Tokens = { tokens: string[] }
const read = { key: 'read', targetType: 'space' }

describe('an index of one Data Center wiki that an earlier version wrote', () => {
  let world: World
  let flow: Flow
  let [site, ann] = ['', '']
  before(async () => {
    world = await openWorld({ wiki: { seed: 33, pages: 8, spaces: 1, people: 4, groups: 2 } })
    const { control, dataCenterUrl } = world.wiki
    site = dataCenterUrl.replace(/^https?:\/\//, '')
    await control.addPerson({ accountId: '557058:ann', name: 'ann' })
    await control.addGroup({ id: 'm', name: 'millers', members: ['557058:ann'] })
    const principal = { type: 'group' as const, id: 'm' }
    await control.addSpace({ key: 'ZEB', name: 'Zebras', permissions: [{ principal, operation: read }] })
    await control.createPage({ space: 'ZEB', title: 'Zebra', body: '<p>The quagga is gone.</p>' })
    ann = (await control.truth()).people.find(({ accountId }) => accountId === '557058:ann')!.userKey
    const source = { url: dataCenterUrl, username: undefined, token: accounts.crawler.pat, cloud: false }
    flow = await makeFlow(world, { source })
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await age(world)
  })
  after(() => world.close())

  /** Restores names without a site, in the index and in the ledger. */
  async function age({ engine, index, databaseUrl }: World): Promise<void> {
    for (const { _id, _version, _source } of await contents(world)) {
      const { data_source } = _source.metadata
      const access = Object.fromEntries(
        Object.entries(data_source.access).map(([name, list]) => [
          name,
          [list].flat().map((token) => token.replace(`${site}/`, '')),
        ]),
      )
      const body = { ..._source, metadata: { ..._source.metadata, data_source: { ...data_source, access } } }
      const at = `/${index}/_doc/${_id}?version=${_version}&version_type=external_gte`
      const answer = await engine.adminFetch(at, { method: 'PUT', body })
      assert.ok(answer.ok, await answer.text())
    }
    await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
    const db = openDatabase(databaseUrl)
    await sql`update documents set state_hash = md5(state_hash)`.execute(db)
    await closeDatabase(db)
  }

  const found = async () => {
    const path = `/destinations/${flow.destinationId}/search`
    const answer = await world.api.post<{ hits: { title: string }[] }>(path, {
      query: 'quagga',
      as: { user: ann },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.hits.map(({ title }) => title)
  }
  const tokens = async () =>
    (await world.api.get<Tokens>(`/destinations/${flow.destinationId}/tokens?user=${ann}`)).body.tokens

  test('it is searched with the old names too, until a run has rewritten it', async () => {
    assert.deepEqual(await found(), ['Zebra'])
    assert.ok((await tokens()).includes('group:millers'))
    const { counts } = (await run(world, flow)).details
    assert.deepEqual(
      [counts.permissions_only, counts.new, counts.failed],
      [counts.discovered, 0, 0],
      'only permissions are written',
    )
    await world.destination.refresh()
    assert.deepEqual(await found(), ['Zebra'])
    const after = await tokens()
    assert.ok(after.includes(`group:${site}/millers`) && !after.includes('group:millers'), after.join(' '))
  })
})
