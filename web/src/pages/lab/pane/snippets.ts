import type { NativeQuery } from '../types.ts'

export type SearchSnippet = { origin: string; destinationId: string; body: object }
export type SnippetLanguage = 'curl' | 'typescript' | 'python'

/** The search in three languages. The key is always a variable. */
export function searchSnippets({
  origin,
  destinationId,
  body,
}: SearchSnippet): Record<SnippetLanguage, string> {
  const url = `${origin}/api/v1/destinations/${destinationId}/search`
  const json = prettyJson(body)
  return {
    curl: `curl ${quoted(url)} \\
  -H "Authorization: Bearer $MILLRACE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${quoted(json)}`,
    typescript: `import { Millrace } from 'millrace-client'

const millrace = new Millrace({ url: ${JSON.stringify(origin)}, key: process.env.MILLRACE_API_KEY })
const { hits } = await millrace.search(${JSON.stringify(destinationId)}, ${json})
for (const { title, url } of hits) console.log(title, url)`,
    python: `# pip install requests
import os
import requests

response = requests.post(
    ${JSON.stringify(url)},
    headers={"Authorization": "Bearer " + os.environ["MILLRACE_API_KEY"]},
    json=${indented(json, 4)},
    timeout=30,
)
response.raise_for_status()
for hit in response.json()["hits"]:
    print(hit["title"], hit["url"])`,
  }
}

/** The query of the destination itself: a command for an engine, SQL for a database. */
export function nativeSnippet({ dialect, request, sql }: NativeQuery): string | null {
  if (sql !== null) return sql
  if (!request) return null
  const variable = dialect.toUpperCase()
  return `curl -X ${request.method} "$${variable}_URL"${quoted(request.path)} \\
  -H "Authorization: $${variable}_AUTHORIZATION" \\
  -H "Content-Type: application/json" \\
  -d ${quoted(prettyJson(request.body))}`
}

/** Indented, with lists of numbers such as vectors in one line. */
export function prettyJson(value: unknown): string {
  // Text has no raw line break in JSON, so this matches only real lists.
  return JSON.stringify(value, null, 2).replaceAll(/\[\n[\s\d.,eE+-]+\]/g, (list) =>
    list.replaceAll(/\s+/g, ' '),
  )
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function indented(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
