import type { Search } from '../../connectors/connector.ts'
import type { Resources } from '../../jobs/resources.ts'
import { plan, storedNodes } from '../../pipeline/nodes.ts'
import type { WorkflowRow } from '../../store/workflows/workflows.ts'

/** The vector of a query by the embedder of the index, or undefined for a search by words. */
export async function queryVector(
  query: string,
  { workflows, search, runners }: { workflows: WorkflowRow[]; search: Search; runners: Resources['runners'] },
  signal: AbortSignal,
): Promise<number[] | undefined> {
  const embed = workflows.map((workflow) => plan(storedNodes(workflow)).embed).find((each) => each !== null)
  if (!embed) return undefined
  // Without its endpoint, only keyword search works.
  if (embed.subtype !== 'local' && !runners.configured[embed.subtype]) return undefined
  const dims = await search.dims(signal)
  if (dims === null) return undefined
  const embedder = await runners.embedder(embed)
  if (embedder.dims !== dims) return undefined
  const [vector] = embedder.query
    ? [await embedder.query(query, signal)]
    : await embedder.embed([query], signal)
  return vector && Array.from(vector)
}
