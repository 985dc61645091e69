import { elasticsearch } from '../engines/elasticsearch.ts'
import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import { opensearch } from '../engines/opensearch.ts'
import type { ClusterError, Headers } from '../transport.ts'

/**
 * Which of the two answers is told by what it answers anyway: asking for its name (`GET /`) needs a right over the
 * whole cluster, which a careful key does not have.
 *
 * Elasticsearch signs its answers. OpenSearch signs them in later versions; in all of them the version that an index
 * was created with has a bit that Elasticsearch's never have.
 */
export function signedBy(headers: Headers): SearchEngine | undefined {
  if (headers['x-elastic-product'] === 'Elasticsearch') return elasticsearch
  if (headers['x-opensearch-version'] !== undefined) return opensearch
  if (String(headers['www-authenticate'] ?? '').includes('OpenSearch Security')) return opensearch
  return undefined
}

/** Set in the version ids of OpenSearch: 2.19.1 is 136407927, Elasticsearch 8.19 is 8536000. */
const OPENSEARCH_BIT = 0x08000000

/** Nothing for an index that came with an old cluster: either of them may have taken it over. */
export function createdBy({ version }: IndexSettings): SearchEngine | undefined {
  const created = Number(version?.created)
  if (!Number.isSafeInteger(created) || created <= 0) return undefined
  if (created >= OPENSEARCH_BIT && created < 2 * OPENSEARCH_BIT) return opensearch
  return created >= 8_000_000 ? elasticsearch : undefined
}

/** What `GET /` says, where it may be asked. */
export function namedBy(body: unknown): SearchEngine | undefined {
  const { version } = (body ?? {}) as { version?: { distribution?: unknown } }
  return version?.distribution === 'opensearch' ? opensearch : undefined
}

/**
 * A refusal in the form that both have, and unsigned. Elasticsearch leaves only the refusal of credentials unsigned.
 * Good enough for the words of an error, not for what is written.
 */
export function likelyFrom({ status, body }: ClusterError): SearchEngine | undefined {
  return status !== 401 && hasClustersForm(body) ? opensearch : undefined
}

/** A failure names a type of error, and a route that is not there is named in a sentence of its own. */
export function hasClustersForm(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: unknown }
  if (typeof error === 'string') return error.startsWith('no handler found for uri')
  const { type } = (error ?? {}) as { type?: unknown }
  return typeof type === 'string' && type.endsWith('_exception')
}
