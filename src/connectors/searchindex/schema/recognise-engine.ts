import { elasticsearch } from '../engines/elasticsearch.ts'
import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import { opensearch } from '../engines/opensearch.ts'
import type { ClusterError, Headers } from '../transport.ts'

/**
 * Recognises the engine from responses, since `GET /` needs a cluster privilege. Only later versions
 * of OpenSearch send a header of their own.
 */
export function engineFromHeaders(headers: Headers): SearchEngine | undefined {
  if (headers['x-elastic-product'] === 'Elasticsearch') return elasticsearch
  if (headers['x-opensearch-version'] !== undefined) return opensearch
  if (String(headers['www-authenticate'] ?? '').includes('OpenSearch Security')) return opensearch
  return undefined
}

/** Set in OpenSearch version ids: 2.19.1 is 136407927, Elasticsearch 8.19 is 8536000. */
const OPENSEARCH_BIT = 0x08000000

/** Undefined for an index that either engine may have adopted. */
export function engineFromIndex({ version }: IndexSettings): SearchEngine | undefined {
  const created = Number(version?.created)
  if (!Number.isSafeInteger(created) || created <= 0) return undefined
  if (created >= OPENSEARCH_BIT && created < 2 * OPENSEARCH_BIT) return opensearch
  return created >= 8_000_000 ? elasticsearch : undefined
}

/** Reads the engine from the response to `GET /`, if that is allowed. */
export function engineFromRoot(body: unknown): SearchEngine | undefined {
  const { version } = (body ?? {}) as { version?: { distribution?: unknown } }
  return version?.distribution === 'opensearch' ? opensearch : undefined
}

/** Elasticsearch omits its signature only on 401. For messages only, not for writes. */
export function likelyEngine({ status, body }: ClusterError): SearchEngine | undefined {
  return status !== 401 && hasErrorFormat(body) ? opensearch : undefined
}

/** Errors name an exception type; an unknown route has its own sentence. */
export function hasErrorFormat(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: unknown }
  if (typeof error === 'string') return error.startsWith('no handler found for uri')
  const { type } = (error ?? {}) as { type?: unknown }
  return typeof type === 'string' && type.endsWith('_exception')
}
