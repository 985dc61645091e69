export type Assistant = 'claude' | 'cursor' | 'vscode'

type Access = { origin: string; token: string; needsPerson: boolean }

/** What to paste into an assistant. A search key also needs the token of the person who asks. */
export function mcpSnippets({ origin, token, needsPerson }: Access): Record<Assistant, string> {
  const url = `${origin}/mcp`
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(needsPerson ? { 'X-Person-Token': 'TOKEN_OF_THE_PERSON' } : {}),
  }
  const flags = Object.entries(headers).map(([name, value]) => ` \\\n  --header "${name}: ${value}"`)
  return {
    claude: `claude mcp add --transport http millrace ${url}${flags.join('')}`,
    cursor: json({ mcpServers: { millrace: { url, headers } } }),
    vscode: json({ servers: { millrace: { type: 'http', url, headers } } }),
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}
