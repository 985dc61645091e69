import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Flow, makeFlow, until } from '../world/flow.ts'
import { destinationConfig, openWorld, type World, wikiConfig } from '../world/world.ts'

type Check = { id: string; status: string; reason: string | null; steps: { name: string; status: string }[] }
type Connector = { id: string; name: string; config: Record<string, unknown> }
type Refused = { code: string; detail: string }

describe('connectors', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({ wiki: { seed: 12, pages: 12, spaces: 2, people: 6, groups: 3 } })
    flow = await makeFlow(world)
  })
  after(() => world.close())

  const isEnded = ({ status }: Check) => status !== 'SCHEDULED'
  const startCheck = async (path: string) => assert.equal((await world.api.post(path)).status, 202)

  /** Every distinct state of a check, from start to end. */
  async function watched(path: string): Promise<Check[]> {
    await startCheck(path)
    return statesUntil(path, isEnded)
  }

  async function statesUntil(path: string, isLast: (check: Check) => boolean): Promise<Check[]> {
    const seen: Check[] = []
    await until(
      async () => (await world.api.get<Check>(path)).body,
      (check) => {
        if (JSON.stringify(check) !== JSON.stringify(seen.at(-1))) seen.push(check)
        return isLast(check)
      },
    )
    return seen
  }

  /** A finished step does not change, and later steps follow it. */
  function assertGrows(seen: Check[]): void {
    for (const [index, { steps }] of seen.entries()) {
      const done = steps.filter(({ status }) => status !== 'pending')
      assert.deepEqual(steps.slice(0, done.length), done)
      const before = seen[index - 1]?.steps.filter(({ status }) => status !== 'pending') ?? []
      assert.deepEqual(done.slice(0, before.length), before)
    }
  }

  for (const [name, request] of [
    ['list spaces', '/api/v2/spaces\\?limit=250'],
    ['read restrictions', '/restriction/'],
    ['read group members', 'membersByGroupId'],
  ] as const)
    test(`it reports each step of a check as soon as it ends, such as those before "${name}"`, async () => {
      const path = `/sources/${flow.sourceId}/connection-check`
      await world.wiki.control.fail({ path: request, isHeld: true, times: null })
      await startCheck(path)
      const isPending = ({ status }: Check['steps'][number]) => status === 'pending'
      const seen = await statesUntil(path, ({ steps }) => steps.find(isPending)?.name === name)
      const partial = seen.at(-1)
      await world.wiki.control.clearFaults()
      seen.push(...(await statesUntil(path, isEnded)))
      assertGrows(seen)
      const last = seen.at(-1)
      assert.equal(last?.status, 'SUCCESS', last?.reason ?? '')
      const names = last.steps.map((step) => step.name)
      assert.deepEqual(
        [partial?.status, partial?.steps.map((step) => [step.name, isPending(step)])],
        ['SCHEDULED', names.map((each, at) => [each, at >= names.indexOf(name)])],
      )
      assert.ok(!last.steps.some(isPending))
    })

  test('it leaves no step pending after a failed check', async () => {
    const made = await world.api.post<Connector>('/sources', {
      name: 'mistyped',
      type: 'wiki',
      config: wikiConfig(world, { token: 'wrong' }),
    })
    const seen = await watched(`/sources/${made.body.id}/connection-check`)
    assertGrows(seen)
    assert.deepEqual(
      seen.at(-1)?.steps.map(({ status }) => status),
      ['ok', 'failed'],
    )
    const destination = await watched(`/destinations/${flow.destinationId}/connection-check`)
    assertGrows(destination)
    assert.equal(destination.at(-1)?.steps.length, 5)
  })

  for (const [kind, config] of [
    ['sources', wikiConfig],
    ['destinations', destinationConfig],
  ] as const) {
    test(`it renames a connector of ${kind}, alone or with its settings`, async () => {
      const path = `/${kind}/${kind === 'sources' ? flow.sourceId : flow.destinationId}`
      const before = (await world.api.get<Connector>(path)).body
      const alone = await world.api.put<Connector>(path, { name: ' Renamed ' })
      assert.equal(alone.status, 200, alone.text)
      assert.deepEqual([alone.body.name, alone.body.config], ['Renamed', before.config])
      const both = await world.api.put<Connector>(path, { name: 'Renamed again', config: config(world) })
      assert.equal(both.body.name, 'Renamed again')
      // Other clients send only the settings.
      const settings = await world.api.put<Connector>(path, { config: config(world) })
      assert.equal(settings.body.name, 'Renamed again')
      // The secret has not changed.
      assert.equal((await watched(`${path}/connection-check`)).at(-1)?.status, 'SUCCESS')

      const other = {
        name: 'taken',
        type: kind === 'sources' ? 'wiki' : 'searchindex',
        config: config(world),
      }
      assert.equal((await world.api.post(`/${kind}`, other)).status, 200)
      const taken = await world.api.put<Refused>(path, { name: 'taken' })
      assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken'])
      for (const body of [{}, { name: '' }, { name: null }, { nam: 'x' }]) {
        assert.equal((await world.api.put(path, body)).status, 422, JSON.stringify(body))
      }
      assert.equal((await world.api.get<Connector>(path)).body.name, 'Renamed again')
    })
  }

  test('it renames a workflow and keeps names unique', async () => {
    const path = `/workflows/${flow.workflowId}`
    assert.equal((await world.api.put<Connector>(path, { name: 'Nightly' })).body.name, 'Nightly')
    assert.equal((await world.api.post('/workflows', { name: 'taken' })).status, 200)
    const taken = await world.api.put<Refused>(path, { name: 'taken' })
    assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken'])
  })
})
