import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import type { DocumentName, SearchBackend } from '../search/search-backend.ts'
import { parseCursor, partOf } from './document-part.ts'
import { fitItems } from './response-size.ts'
import { fetchInput, fetchOutput, searchInput, searchOutput, whyInput, whyOutput } from './shapes.ts'
import { BAD_CURSOR, DESCRIPTIONS, NOT_FOUND } from './texts.ts'
import { shortLine } from './visible-text.ts'

const MAX_TITLE = 200
const MAX_URL = 1000
const MAX_PASSAGE = 400
const MAX_REASON = 500

/** The text of an error for the model, without internals. */
export type ErrorText = (error: unknown) => string

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  // Other systems change what the tools return.
  openWorldHint: true,
} as const

/** Registers the tools; clients list them in this order. */
export function addTools(server: McpServer, backend: SearchBackend, errorText: ErrorText): void {
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description: DESCRIPTIONS.search,
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations,
    },
    ({ query, space, labels, limit }, { mcpReq: { signal } }) =>
      answer(errorText, async () => {
        const filters = { ...(space ? { space } : {}), ...(labels ? { labels } : {}) }
        const { documents, notes } = await backend.search({ query, limit, ...filters }, signal)
        const results = documents.map((each) => ({
          ...nameOf(each),
          text: shortLine(each.text, MAX_PASSAGE),
        }))
        return fitItems(results, (kept, omitted) => ({
          results: kept,
          ...noteOf([
            ...notes,
            ...(omitted > 0 ? [`${omitted} more results did not fit; ask for fewer.`] : []),
          ]),
        }))
      }),
  )
  server.registerTool(
    'fetch',
    {
      title: 'Read a document',
      description: DESCRIPTIONS.fetch,
      inputSchema: fetchInput,
      outputSchema: fetchOutput,
      annotations,
    },
    ({ id, cursor }, { mcpReq: { signal } }) =>
      answer(errorText, async () => {
        const start = parseCursor(cursor)
        if (!start) return BAD_CURSOR
        const found = await backend.read(id, start.after, signal)
        return found && partOf(nameOf(found), found, start)
      }),
  )
  server.registerTool(
    'why',
    {
      title: 'Why a document is readable',
      description: DESCRIPTIONS.why,
      inputSchema: whyInput,
      outputSchema: whyOutput,
      annotations,
    },
    ({ id }, { mcpReq: { signal } }) =>
      answer(errorText, async () => {
        const found = await backend.explain(id, signal)
        if (!found) return null
        const levels = found.map(({ level, title, reason }) => ({
          level,
          title: shortLine(title, MAX_TITLE),
          reason: shortLine(reason, MAX_REASON),
        }))
        return fitItems(levels, (kept, omitted) => ({
          id,
          levels: kept,
          ...noteOf(omitted > 0 ? [`${omitted} more levels did not fit.`] : []),
        }))
      }),
  )
}

/** A text is an error for the model, and null a missing document. */
async function answer(
  errorText: ErrorText,
  work: () => Promise<Record<string, unknown> | string | null>,
): Promise<CallToolResult> {
  try {
    const found = (await work()) ?? NOT_FOUND
    if (typeof found === 'string') return failure(found)
    return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found }
  } catch (error) {
    return failure(errorText(error))
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function nameOf({ id, title, url }: DocumentName): DocumentName {
  return { id, title: shortLine(title, MAX_TITLE), url: url.length <= MAX_URL ? url : '' }
}

function noteOf(notes: string[]): { note?: string } {
  return notes.length > 0 ? { note: notes.join(' ') } : {}
}
