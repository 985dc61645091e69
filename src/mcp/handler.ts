import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import packageJson from '../../package.json' with { type: 'json' }
import type { SearchBackend } from '../search/search-backend.ts'
import { INSTRUCTIONS } from './texts.ts'
import { addTools, type ErrorText } from './tools.ts'

// The tools change only with a new version of the service.
const LIST = { ttlMs: 300_000, cacheScope: 'private' } as const

/** Answers one request of the person to whom the backend is bound, in either era of the protocol. */
export async function answerMcp(
  request: Request,
  backend: SearchBackend,
  errorText: ErrorText,
): Promise<{ response: Response; error: Error | null }> {
  let error: Error | null = null
  const handler = createMcpHandler(() => createServer(backend, errorText), {
    // The list of tools never changes, and an open stream would outlast its token.
    maxSubscriptions: 0,
    onerror: (reported) => {
      error = reported
    },
  })
  return { response: await handler.fetch(request), error }
}

function createServer(backend: SearchBackend, errorText: ErrorText): McpServer {
  const { version } = packageJson
  const server = new McpServer(
    { name: 'millrace', title: 'Millrace', version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LIST, 'server/discover': LIST },
      maxToolInputElements: 200,
    },
  )
  addTools(server, backend, errorText)
  return server
}
