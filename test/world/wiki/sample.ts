import { fillSample } from './fill-sample.ts'
import { emptyWorld, type World } from './model/model.ts'
import type { Settings } from './model/settings.ts'
import { addCallers } from './people.ts'

/** The product's sample wiki with the callers of tests. */
export function loadSample(name: string, settings: Partial<Settings>): World {
  if (name !== 'demo') throw new Error(`there is no sample named ${name}; the only one is demo`)
  const world = emptyWorld(settings)
  addCallers(world)
  fillSample(world)
  return world
}
