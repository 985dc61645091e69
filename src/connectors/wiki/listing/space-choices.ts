import { AppError } from '../../../errors.ts'
import type { ScopeChoice } from '../../source.ts'
import type { WikiClient } from '../client.ts'

/** A person waits, so only the first spaces are counted. */
const COUNTED_SPACES = 50
const COUNT_MS = 10_000

/** The spaces to choose from, by name; personal spaces come last. */
export async function currentSpaces(client: WikiClient, signal: AbortSignal): Promise<ScopeChoice[]> {
  const found = new Map<string, string>()
  for await (const spaces of client.spaces(null, signal)) {
    for (const { key, name, archived } of spaces) if (!archived) found.set(key, name)
  }
  const choices = [...found].map(([key, name]) => ({ key, name }))
  const isPersonal = ({ key }: { key: string }) => key.startsWith('~')
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en')
  const sorted = choices.sort((a, b) => Number(isPersonal(a)) - Number(isPersonal(b)) || byName(a, b))
  const counts = await countPagesOf(client, sorted.slice(0, COUNTED_SPACES), signal)
  return sorted.map((space) => ({ ...space, documents: counts.get(space.key) ?? null }))
}

/** A space that cannot be counted in time has no number; the pace of the site bounds the requests. */
async function countPagesOf(
  client: WikiClient,
  spaces: { key: string }[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS)])
  const count = async (space: { key: string }) => {
    try {
      const pages = await client.pageCount(space, inTime)
      if (pages !== null) counts.set(space.key, pages)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError) && !inTime.aborted) throw error
    }
  }
  await Promise.all(spaces.map(count))
  return counts
}
