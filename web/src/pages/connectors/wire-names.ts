/**
 * A connector answers with the names it was made with, and clients of the platform API use that system's. The form
 * knows ours.
 */
const types: Record<string, string> = { confluence: 'wiki', elasticsearch: 'searchindex' }
const fields: Record<string, string> = { api_token: 'token', es_api_key: 'search_api_key' }

export function ourType(type: string): string {
  return types[type] ?? type
}

export function ourFields(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [fields[name] ?? name, value]))
}

/** Where it leads, for a list: the first address there is. */
export function configAddress(config: Record<string, unknown>): string {
  const { url, hosts, index_name: index } = config
  const address = typeof url === 'string' ? url : Array.isArray(hosts) ? String(hosts[0] ?? '') : ''
  const plain = address.replace(/^https:\/\//, '').replace(/\/$/, '')
  return typeof index === 'string' ? `${plain}/${index}` : plain
}
