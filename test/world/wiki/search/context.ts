import { type ApiCall, WikiError } from '../http.ts'

/** The statuses that a search finds: current content, unless `cqlcontext` of Cloud names others. */
export function searchedStatuses({ query }: ApiCall, site: 'cloud' | 'dataCenter'): Set<string> {
  const text = query.get('cqlcontext')
  if (text === null || site === 'dataCenter') return new Set(['current'])
  const { contentStatuses = ['current'] } = parseContext(text)
  const invalid = contentStatuses.find((status) => !statuses.includes(status))
  if (invalid !== undefined) throw new WikiError(400, `Unknown content status ${invalid} in cqlcontext`)
  return new Set(contentStatuses)
}

const statuses = ['current', 'archived', 'draft']

function parseContext(text: string): { contentStatuses?: string[] } {
  try {
    const context: unknown = JSON.parse(text)
    if (typeof context === 'object' && context !== null && !Array.isArray(context)) return context
  } catch {
    // Falls through: the same answer as for JSON that is not an object.
  }
  throw new WikiError(400, 'cqlcontext must be a JSON object')
}
