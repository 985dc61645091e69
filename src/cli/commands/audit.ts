import { withOpen } from '../../connectors/with-open.ts'
import { type AuditReport, auditAccess } from '../../ingest/audit/audit.ts'
import type { Disagreement } from '../../ingest/audit/compare.ts'
import type { AuditRequest } from '../../ingest/audit/documents.ts'
import type { Arguments } from '../arguments.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT, UsageError } from '../exit.ts'
import { readJobOf } from '../job-file/job.ts'
import { openBoth } from '../open-connectors.ts'
import type { Terminal } from '../terminal.ts'

const DEFAULT_SAMPLE = 200
const MAX_SAMPLE = 100_000

export const auditCommand: CommandHandler = async (input, signal) => {
  const { args, terminal } = input
  const request = requestOf(args.options)
  const job = await readJobOf(input)
  const json = args.options.json === true
  return withOpen(openBoth(job), async ({ source, destination }) => {
    const onDisagreement = (disagreement: Disagreement) => {
      if (json) terminal.print(JSON.stringify({ event: 'difference', ...disagreement }))
      else show(terminal, disagreement)
    }
    const report = await auditAccess({ source, destination, onDisagreement }, request, signal)
    if (json) terminal.print(JSON.stringify({ event: 'done', ...report }))
    else summarize(terminal, report)
    if (report.compared === 0) return EXIT.couldNotStart
    return report.too_wide > 0 ? EXIT.incomplete : EXIT.ok
  })
}

function requestOf({ sample, seed, spaces }: Arguments['options']): AuditRequest {
  return {
    sample: wholeNumber('sample', sample, { fallback: DEFAULT_SAMPLE, min: 1 }),
    seed: wholeNumber('seed', seed, { fallback: 1, min: 0 }),
    scopeKeys:
      typeof spaces === 'string'
        ? spaces
            .split(',')
            .map((key) => key.trim())
            .filter((key) => key !== '')
        : [],
  }
}

function wholeNumber(
  name: string,
  given: string | boolean | undefined,
  { fallback, min }: { fallback: number; min: number },
): number {
  if (given === undefined) return fallback
  const number = Number(given)
  if (Number.isInteger(number) && number >= min && number <= MAX_SAMPLE) return number
  throw new UsageError(`--${name} must be a whole number from ${min} to ${MAX_SAMPLE}`, 'audit')
}

function show(terminal: Terminal, disagreement: Disagreement): void {
  const { verdict, user, record_id, title, operation, form, because, element_ids: ids, chain } = disagreement
  const isWide = verdict === 'too_wide'
  const [what, may] = isWide ? ['too wide', 'may not'] : ['too narrow', 'may']
  const granted = isWide ? because : `not granted: ${because}`
  terminal.print(
    `${what}: ${user} ${may} ${operation} ${record_id} "${title}" in the source; in the index (${form}) it is ${granted}`,
  )
  terminal.print(
    `    elements: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`,
  )
  for (const { level, id, title: name, rule, satisfied, by } of chain) {
    const passed = satisfied ? `yes${by ? `, by ${by}` : ''}` : 'no'
    terminal.print(`    ${level} ${id} "${name}": ${rule}: ${passed}`)
  }
}

function summarize(terminal: Terminal, report: AuditReport): void {
  const { documents, people, pairs, compared, too_wide, too_narrow, unanswered, foreign, judge } = report
  if (compared === 0)
    terminal.note('Nothing to compare: the index holds no document of this source and these scopes.')
  terminal.print(
    `${pairs} pairs of ${people} people and ${documents} documents, ${compared} answers compared: ` +
      `${too_wide} too wide, ${too_narrow} too narrow, ${unanswered} pairs without an answer`,
  )
  if (judge === 'rules')
    terminal.print(
      'This source cannot answer what a person may do: read access was compared with its current rules, update and delete were not compared.',
    )
  if (foreign > 0)
    terminal.print(`${foreign} elements of the index were not written by Millrace and were not compared.`)
}
