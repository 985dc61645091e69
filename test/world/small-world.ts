import assert from 'node:assert/strict'
import { byPage, contents, type Indexed } from './agreement.ts'
import { type Flow, type FlowOptions, makeFlow } from './flow.ts'
import { startFaultProxy } from './search-engine/fault-proxy.ts'
import type { Wiki } from './wiki/start.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

/** A small world: an open space `OPN`, a secret space `SEC` for Ann, and an open page about a zebrafish. */
export type SmallWorld = {
  world: World
  flow: Flow
  ann: string
  ben: string
  page: string
  open: { id: string; homepageId: string }
  secret: { id: string; homepageId: string }
  /** Between the service and an index, for network faults; a table has its own. */
  proxy: Awaited<ReturnType<typeof startFaultProxy>>
  bensHits(query?: string): Promise<string[]>
  elements(): Promise<Indexed[]>
}

export type SmallWorldOptions = {
  source?: object
  destination?: WorldOptions['destination']
  role?: WorldOptions['role'] | undefined
  wanted?: FlowOptions
}

export async function inSmallWorld(
  work: (setup: SmallWorld) => Promise<void>,
  { source = {}, destination = 'searchindex', role, wanted = {} }: SmallWorldOptions = {},
): Promise<void> {
  const world = await openWorld({
    wiki: { seed: 21, pages: 8, spaces: 1, people: 8, groups: 3 },
    env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' },
    destination,
    ...(role ? { role } : {}),
  })
  const indexProxy = destination === 'searchindex' ? await startFaultProxy(world.engine.url) : null
  try {
    const { control } = world.wiki
    const [ann, ben] = await annAndBen(world.wiki)
    const open = await control.addSpace({ key: 'OPN', name: 'Open', permissions: ALL_PEOPLE })
    const page = await control.createPage({ space: 'OPN', title: 'Plans', body: '<p>zebrafish one</p>' })
    const secret = await control.addSpace({ key: 'SEC', name: 'Secret', permissions: onlyFor(ann) })
    const flow = await makeFlow(world, {
      ...wanted,
      source: { spaces: ['OPN', 'SEC'], ...source },
      destination: indexProxy ? { hosts: [indexProxy.url] } : {},
    })
    const bensHits = async (query = 'zebrafish') => {
      await world.destination.refresh()
      const answer = await world.api.post<{ hits: { text: string }[] }>(
        `/destinations/${flow.destinationId}/search`,
        {
          query,
          as: { user: ben },
          size: 50,
        },
      )
      assert.equal(answer.status, 200, answer.text)
      return answer.body.hits.map((hit) => hit.text).filter((text) => text.includes(query))
    }
    const elements = async () => byPage(await contents(world)).get(page) ?? []
    await work({
      ...{ world, flow, ann, ben, page, open, secret, bensHits, elements },
      get proxy() {
        return indexProxy ?? assert.fail('the destination is not an index')
      },
    })
  } finally {
    await indexProxy?.close()
    await world.close()
  }
}

/** Two licensed people. */
export async function annAndBen({ control }: Wiki): Promise<[ann: string, ben: string]> {
  const [ann, ben] = (await control.truth()).people
    .filter((person) => person.accountType === 'atlassian' && person.active)
    .map((person) => person.accountId)
  assert.ok(ann && ben)
  return [ann, ben]
}

const reading = { key: 'read', targetType: 'space' }
export const ALL_PEOPLE = [
  { principal: { type: 'access-class' as const, id: 'all-licensed-users' }, operation: reading },
]

export function onlyFor(user: string) {
  return [{ principal: { type: 'user' as const, id: user }, operation: reading }]
}
