import { withOpen } from '../../connectors/with-open.ts'
import { type DocumentView, type NodeView, previewDocuments } from '../../ingest/preview.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT, UsageError } from '../exit.ts'
import { readJobOf } from '../job-file/job.ts'
import { openRunnerFactory, openSource } from '../open-connectors.ts'
import type { Terminal } from '../terminal.ts'

const DEFAULT_LIMIT = 3
const MAX_LIMIT = 50
const MAX_SHOWN = 12

export const previewCommand: CommandHandler = async (input, signal) => {
  const { args, terminal } = input
  const { limit, 'record-id': recordId, json } = args.options
  const selection = typeof recordId === 'string' ? { recordIds: [recordId] } : { limit: limitOf(limit) }
  const job = await readJobOf(input)
  const views = await withOpen(openSource(job), ({ source }) =>
    withOpen(openRunnerFactory(job), (runners) =>
      previewDocuments({ source, nodes: job.nodes, runners }, selection, signal),
    ),
  )
  for (const view of views) {
    if (json === true) terminal.print(JSON.stringify({ event: 'document', ...toJson(view) }))
    else show(terminal, view)
  }
  if (views.length === 0) terminal.note('The source lists no document with these settings.')
  return views.every(({ error }) => error === null) ? EXIT.ok : EXIT.incomplete
}

function limitOf(given: unknown): number {
  if (given === undefined) return DEFAULT_LIMIT
  const limit = Number(given)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit must be a number from 1 to ${MAX_LIMIT}`, 'preview')
}

function toJson({ recordId, html: _, ...view }: DocumentView) {
  return { record_id: recordId, ...view }
}

function show(
  terminal: Terminal,
  { recordId, title, url, filetype, nodes, warnings, error }: DocumentView,
): void {
  terminal.print(title || recordId)
  terminal.print(`  ${[recordId, filetype, url].filter(Boolean).join('  ')}`)
  if (error) terminal.print(`  failed: ${error.message}`)
  for (const { message } of warnings) terminal.print(`  warning: ${message}`)
  for (const view of nodes) showNode(terminal, view)
  terminal.print()
}

function showNode(terminal: Terminal, { node, total, elements, dims, sample }: NodeView): void {
  if (node.type === 'embed') {
    const numbers = (sample ?? []).map((value) => value.toFixed(3)).join(' ')
    terminal.print(
      `  ${node.subtype}: ${total} vectors of ${dims ?? '?'} numbers${numbers ? `, the first ${numbers} …` : ''}`,
    )
    return
  }
  terminal.print(`  ${node.subtype}: ${total} elements`)
  for (const { type, text } of elements.slice(0, MAX_SHOWN)) {
    const line = text.replaceAll(/\s+/g, ' ')
    const width = Math.max(20, terminal.columns - 26)
    terminal.print(`    ${type.padEnd(18)} ${line.length > width ? `${line.slice(0, width - 1)}…` : line}`)
  }
  if (total > MAX_SHOWN) terminal.print(`    … and ${total - MAX_SHOWN} more`)
}
