import { fetchInBatches } from '../batches.ts'
import type { ContainerInfo, ContainersClient } from '../client.ts'
import { undefinedUnlessFatal } from './directory.ts'

/** A site with more is read space by space. */
const MAX_LISTED = 2000
/** A listing of many spaces reads the list again after this time. */
const MAX_AGE_MS = 60_000
const BATCH_SIZE = 250

export type Containers = ReturnType<typeof createContainers>

/**
 * Folders, whiteboards and databases of one listing. Reads all of a small site in few requests; `onRead` sees everything
 * that was read.
 */
export function createContainers(client: ContainersClient, onRead: (containers: ContainerInfo[]) => void) {
  let listed: Promise<Map<string, ContainerInfo> | null> | undefined
  let readAt = 0
  const isFresh = () => listed !== undefined && Date.now() - readAt < MAX_AGE_MS

  async function read(ids: string[] | null, signal: AbortSignal): Promise<ContainerInfo[] | null> {
    const found: ContainerInfo[] = []
    for await (const rows of client.containers(ids, signal)) {
      onRead(rows)
      found.push(...rows)
      if (!ids && found.length > MAX_LISTED) return null
    }
    return found
  }

  /** Null if the site has too many, or if its search cannot list them. */
  async function list(signal: AbortSignal): Promise<Map<string, ContainerInfo> | null> {
    if (!listed || (!isFresh() && (await listed))) {
      readAt = Date.now()
      const reading = read(null, signal).catch(undefinedUnlessFatal)
      listed = reading.then((found) => (found ? byId(found) : null))
      listed.catch(() => {
        listed = undefined
      })
    }
    return listed
  }

  return {
    /** Those that the search knows; new ones may be missing. */
    find: async (ids: string[], signal: AbortSignal): Promise<Map<string, ContainerInfo>> => {
      if (ids.length === 0) return new Map()
      const all = await list(signal)
      if (all) return byId(ids.flatMap((id) => all.get(id) ?? []))
      return byId(
        await fetchInBatches(ids, {
          size: BATCH_SIZE,
          minSize: 25,
          fetch: async (batch) => (await read(batch, signal)) ?? [],
        }),
      )
    },
    /** When what `find` returns now is read, or was read already. */
    asOf: () => (isFresh() ? new Date(readAt) : new Date()),
  }
}

function byId(containers: ContainerInfo[]): Map<string, ContainerInfo> {
  return new Map(containers.map((container) => [container.id, container]))
}
