import type { TestDestination } from './destination.ts'
import type { World } from './world.ts'

/** A second index or table, which is deleted with the world. */
export async function anotherDestination(world: World, suffix: string): Promise<TestDestination> {
  const destination = world.destination.another(suffix)
  await destination.create()
  const close = world.close
  world.close = async () => {
    await close()
    await destination.close()
  }
  return destination
}
