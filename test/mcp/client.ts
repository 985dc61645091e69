import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export type Era = 'legacy' | { pin: '2026-07-28' }
export const ERAS: Era[] = ['legacy', { pin: '2026-07-28' }]

export type ToolResult = {
  isError?: boolean
  content: { type: string; text: string }[]
  structuredContent?: unknown
}

/** The official client, with the calls that the tests need. */
export type Assistant = {
  client: Client
  call(name: string, input: Record<string, unknown>): Promise<ToolResult>
  search(query: string, more?: Record<string, unknown>): Promise<SearchOutput>
  close(): Promise<void>
}
export type SearchOutput = {
  results: { id: string; title: string; url: string; text: string }[]
  note?: string
}

export function connectHttp(url: string, headers: Record<string, string>, era: Era): Promise<Assistant> {
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), era)
}

export function connectStdio(command: string, env: Record<string, string>, era: Era): Promise<Assistant> {
  return connect(new StdioClientTransport({ command, env }), era)
}

async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  era: Era,
): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  await client.connect(transport)
  const call = async (name: string, input: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: input })) as ToolResult
  return {
    client,
    call,
    async search(query, more = {}) {
      const { isError, content, structuredContent } = await call('search', { query, ...more })
      if (isError) throw new Error(content[0]?.text)
      return structuredContent as SearchOutput
    },
    close: () => client.close(),
  }
}
