import { explain } from '../errors.ts'
import type { RunResult } from '../ingest/whole-run.ts'
import { duration, number } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Prints the outcome of a run, as text or one line of JSON. */
export function summarize(
  terminal: Terminal,
  result: RunResult,
  { json, seconds }: { json: boolean; seconds: number },
): void {
  const { counts, warnings, skips, heldBack, complete, failure } = result
  if (json) {
    const error = failure ? explain(failure) : null
    const done = {
      counts,
      warnings,
      skipped: skips,
      held_back: heldBack,
      complete,
      error,
      seconds: round(seconds),
    }
    terminal.print(JSON.stringify({ event: 'done', ...done }))
    return
  }
  const rate = (counts.new + counts.changed) / Math.max(seconds, 0.1)
  const rows: [string, number, string][] = [
    ['new', counts.new, ''],
    [
      'changed',
      counts.changed,
      counts.permissions_only > 0 ? `${number(counts.permissions_only)} in their permissions only` : '',
    ],
    ['unchanged', counts.unchanged, ''],
    [
      'skipped',
      counts.skipped,
      skips.map(({ documents, code }) => `${number(documents)} ${code}`).join(', '),
    ],
    ['failed', counts.failed, ''],
  ]
  terminal.print(
    `${number(counts.discovered)} documents in ${duration(seconds)}, ${number(counts.elements)} elements written (${Math.round(rate)} documents/s)`,
  )
  for (const [name, count, remark] of rows)
    terminal.print(`  ${name.padEnd(10)}${number(count).padStart(9)}${remark ? `  ${remark}` : ''}`)
  if (counts.removed > 0) terminal.print(`  ${'removed'.padEnd(10)}${number(counts.removed).padStart(9)}`)
  if (failure) terminal.note(`The run failed: ${explain(failure).message}`)
  else if (!complete) terminal.note('Part of the source could not be listed; its documents were kept.')
  if (heldBack > 0)
    terminal.note(
      `${number(heldBack)} documents are hidden and wait for approval; --approve-deletions removes them.`,
    )
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
