import { type DocumentView, type NodeView, previewDocuments } from '../../ingest/preview.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT, UsageError } from '../exit.ts'
import { readJobArguments } from '../job-file/job.ts'
import { openRunnerFactory, openSource } from '../open-connectors.ts'
import type { Terminal } from '../terminal.ts'

const DEFAULT_LIMIT = 3
const MAX_LIMIT = 50
const SHOWN = 12

export const previewCommand: CommandHandler = async ({ args, env, terminal, registry }, signal) => {
  const { limit, 'record-id': recordId, json } = args.options
  const selection = typeof recordId === 'string' ? { recordIds: [recordId] } : { limit: limitOf(limit) }
  const job = await readJobArguments(args, env, registry)
  for (const secret of job.secrets) terminal.hide(secret)
  const { source, close } = await openSource(job)
  const runners = openRunnerFactory(job)
  try {
    const views = await previewDocuments({ source, nodes: job.nodes, runners }, selection, signal)
    for (const view of views) {
      if (json === true) terminal.say(JSON.stringify({ event: 'document', ...onWire(view) }))
      else show(terminal, view)
    }
    if (views.length === 0) terminal.note('The source lists no document with these settings.')
    return views.every(({ error }) => error === null) ? EXIT.ok : EXIT.incomplete
  } finally {
    await runners.close()
    await close()
  }
}

function limitOf(given: unknown): number {
  if (given === undefined) return DEFAULT_LIMIT
  const limit = Number(given)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new UsageError(`--limit is a number from 1 to ${MAX_LIMIT}`, 'preview')
}

function onWire({ recordId, html: _, ...view }: DocumentView) {
  return { record_id: recordId, ...view }
}

function show(
  terminal: Terminal,
  { recordId, title, url, filetype, nodes, warnings, error }: DocumentView,
): void {
  terminal.say(title || recordId)
  terminal.say(`  ${[recordId, filetype, url].filter(Boolean).join('  ')}`)
  if (error) terminal.say(`  failed: ${error.message}`)
  for (const { message } of warnings) terminal.say(`  note: ${message}`)
  for (const view of nodes) showNode(terminal, view)
  terminal.say()
}

function showNode(terminal: Terminal, { node, total, elements, dims, sample }: NodeView): void {
  if (node.type === 'embed') {
    const numbers = (sample ?? []).map((value) => value.toFixed(3)).join(' ')
    terminal.say(
      `  ${node.subtype}: ${total} vectors of ${dims ?? '?'} numbers${numbers ? `, the first ${numbers} …` : ''}`,
    )
    return
  }
  terminal.say(`  ${node.subtype}: ${total} elements`)
  for (const { type, text } of elements.slice(0, SHOWN)) {
    const line = text.replaceAll(/\s+/g, ' ')
    const width = Math.max(20, terminal.columns - 26)
    terminal.say(`    ${type.padEnd(18)} ${line.length > width ? `${line.slice(0, width - 1)}…` : line}`)
  }
  if (total > SHOWN) terminal.say(`    … and ${total - SHOWN} more`)
}
