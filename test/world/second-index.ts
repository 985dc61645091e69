import { createIndex, type World } from './world.ts'

/** Settings of a destination for a second index, which is deleted with the world. */
export async function anotherIndex(
  world: World,
  suffix: string,
): Promise<{ index_name: string; search_api_key: string }> {
  const index = `${world.index}-${suffix}`
  await createIndex(world.engine, index)
  const { encoded } = await world.engine.createApiKey(index)
  const close = world.close
  world.close = async () => {
    await close()
    await world.engine.adminFetch(`/${index}`, { method: 'DELETE' })
  }
  return { index_name: index, search_api_key: encoded }
}
