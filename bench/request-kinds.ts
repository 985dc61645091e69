import type { Wiki } from '../test/world/wiki/start.ts'

/** Requests by the shape of their path; searches also by what they read. */
export type RequestKinds = Record<string, number>

/** The wiki remembers its first 5,000 requests, enough for the small runs. */
export async function requestKinds({ control }: Pick<Wiki, 'control'>): Promise<RequestKinds> {
  const kinds: RequestKinds = {}
  for (const { method, url } of await control.requests()) {
    const kind = kindOf(method, url)
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return kinds
}

export function kindOf(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://wiki')
  const path = pathname
    .replace(/^\/(wiki|confluence)\//, '')
    .replace(/^rest\/api\/(space|group)\/(?!by-id)[^/]+/, 'rest/api/$1/{name}')
    .replaceAll(/\/(att)?(\d+|[0-9a-f]{8}-[0-9a-f-]{27})(?=\/|$)/g, '/{id}')
  const expand = searchParams.get('expand') ?? ''
  const format = searchParams.get('body-format')
  const withBodies = expand.includes('body.') || format !== null
  const reads = withBodies ? ' with bodies' : expand.includes('restrictions') ? ' with restrictions' : ''
  return `${method} ${path}${searchParams.has('id') ? '?id=' : ''}${reads}`
}

/** One line per kind, the most frequent first. */
export function printKinds(first: RequestKinds, unchanged: RequestKinds): void {
  const kinds = [...new Set([...Object.keys(first), ...Object.keys(unchanged)])]
  const rows = kinds.map((kind) => ({ kind, first: first[kind] ?? 0, unchanged: unchanged[kind] ?? 0 }))
  for (const row of rows.toSorted((a, b) => b.first + b.unchanged - a.first - a.unchanged))
    console.log(`  ${String(row.first).padStart(5)} ${String(row.unchanged).padStart(5)}  ${row.kind}`)
}
