import type { Search, SearchRequest } from '../connectors/search.ts'
import { AppError } from '../errors.ts'
import { runnersFor } from '../jobs/model-meter.ts'
import type { Resources } from '../jobs/resources.ts'
import { findModel, isReadable } from '../pipeline/embed/model.ts'
import type { RemoteEmbed } from '../pipeline/embed/remote-vectors.ts'
import { type ConfiguredProviders, modelRefusal } from '../pipeline/models/providers.ts'
import { plan, storedNodes } from '../pipeline/nodes.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'

/** The vector of a query by the embedder of the index, or nothing for a search by words. */
export async function queryVector(
  query: string,
  { workflows, search, resources }: { workflows: WorkflowRow[]; search: Search; resources: Resources },
  signal: AbortSignal,
): Promise<Pick<SearchRequest, 'vector' | 'floor'>> {
  const embeds = workflows.map((workflow) => ({ workflow, embed: plan(storedNodes(workflow)).embed }))
  const first = embeds.find(({ embed }) => embed !== null)
  if (!first?.embed) return {}
  const { workflow, embed } = first
  const runners = runnersFor(resources, workflow.workspace_id)
  // A query that the model cannot read, or a model without its endpoint, leaves the search by words.
  if (embed.subtype === 'local' ? !isReadable(query) : !isUsable(embed, runners.configured)) return {}
  const dims = await search.dims(signal)
  if (dims === null) return {}
  const embedder = await runners.embedder(embed)
  if (embedder.dims !== dims) return {}
  try {
    const [vector] = embedder.query
      ? [await embedder.query(query, signal)]
      : await embedder.embed([query], signal)
    if (!vector) return {}
    const floor = embed.subtype === 'local' ? { floor: findModel(embed.model).floor } : {}
    return { vector: Array.from(vector), ...floor }
  } catch (error) {
    if (error instanceof AppError && error.code === 'model_tokens_used_up') return {}
    throw error
  }
}

function isUsable(
  { subtype: provider, model, deployment = model }: RemoteEmbed,
  configured: ConfiguredProviders,
): boolean {
  return Boolean(configured[provider]) && modelRefusal(configured, { provider, model: deployment }) === null
}
