import * as wire from './answers.ts'
import { wholeLists } from './lists.ts'
import type { Transport } from './transport.ts'

/** What the search knows of these ids. It is an index and may lag, so an id that is missing says nothing. */
export function found(
  transport: Transport,
  asked: { doing: string; ids: string[]; query: { expand: string; limit: string } },
  signal: AbortSignal,
): Promise<wire.FoundAnswer[]> {
  const query = { cql: `id in (${asked.ids.join(',')})`, ...asked.query }
  const question = { doing: asked.doing, path: '/rest/api/content/search', query }
  return wholeLists(transport).all(question, wire.foundAnswer, signal)
}

/** `my:` labels are the reading account's own, nobody else's. */
export function toLabels(rows: { name?: string | null; prefix?: string | null }[]): string[] {
  return rows.flatMap(({ name, prefix }) => (name && prefix !== 'my' ? [name] : [])).sort()
}
