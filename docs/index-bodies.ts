import { elasticsearch } from '../src/connectors/searchindex/engines/elasticsearch.ts'
import { opensearch } from '../src/connectors/searchindex/engines/opensearch.ts'
import { creationBodyFor } from '../src/connectors/searchindex/schema/schema.ts'
import { defaultDims } from '../src/pipeline/embed/model.ts'

/** The bodies that create an index with its whole schema for the built-in embedder, by file name. */
export function indexBodies(): Record<string, string> {
  const bodies = [elasticsearch, opensearch].map((engine) => {
    const { settings, mappings } = creationBodyFor(defaultDims, engine)
    const index = { number_of_shards: 1, number_of_replicas: 1, ...settings.index }
    const body = { settings: { index }, mappings }
    return [`${engine.name.toLowerCase()}.json`, `${JSON.stringify(body, null, 2)}\n`]
  })
  return Object.fromEntries(bodies)
}
