import assert from 'node:assert/strict'
import { type Flow, type JobResult, makeFlow } from './flow.ts'
import { ALL_PEOPLE, annAndBen } from './small-world.ts'
import { openWorld, type World, wikiConfig } from './world.ts'

/** A world with the space `OPN`, readable by every licensed person. */
export type OpenSpace = {
  world: World
  flow: Flow
  ann: string
  ben: string
  /** Changes the settings of the source, except for its scope. */
  setSource(more: object): Promise<void>
}

export async function openSpace(
  seed: number,
  scope: object,
  env: Record<string, string> = {},
): Promise<OpenSpace> {
  const world = await openWorld({
    wiki: { seed, pages: 8, spaces: 1, people: 8, groups: 3 },
    // Files and pictures come from a separate host.
    env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1', ...env },
  })
  return fillSpace(world, scope).catch(async (error) => {
    await world.close()
    throw error
  })
}

async function fillSpace(world: World, scope: object): Promise<OpenSpace> {
  const [ann, ben] = await annAndBen(world.wiki)
  await world.wiki.control.addSpace({ key: 'OPN', name: 'Open', permissions: ALL_PEOPLE })
  const flow = await makeFlow(world, { source: scope })
  const setSource = async (more: object) => {
    const config = wikiConfig(world, { ...scope, ...more })
    const answer = await world.api.put(`/sources/${flow.sourceId}`, { config })
    assert.equal(answer.status, 200, answer.text)
  }
  return { world, flow, ann, ben, setSource }
}

export async function assertSuccess(running: Promise<JobResult>): Promise<JobResult> {
  const ended = await running
  assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
  return ended
}
