import type { Registry } from '../../connectors/registry.ts'
import type { DestinationType, SourceType } from '../../connectors/type.ts'
import { type Command, commands } from '../commands.ts'
import { optionLines } from './help-lines.ts'

/** A job file with the first source and destination types; a test checks it against `schema`. */
export function exampleJob({ sources, destinations }: Registry): string {
  return `  # job.yaml; secrets stay in the environment
  source:
${exampleOf(sources[0])}
  destination:
${exampleOf(destinations[0])}
  nodes:                       # these are the defaults
    - {type: partition, subtype: auto}
    - {type: chunk, subtype: chunk_by_title, settings: {max_characters: 1000}}
    - {type: embed, subtype: local}`
}

function exampleOf(type: SourceType | DestinationType | undefined): string {
  const settings = type?.jobExample?.split('\n') ?? []
  return [`type: ${type?.type}`, 'config:', ...settings.map((line) => `  ${line}`)]
    .map((line) => `    ${line}`)
    .join('\n')
}

export function generalHelp(registry: Registry): string {
  const names = commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`)
  return `millrace-ingest copies documents from a source into a search index, a database or a folder.
Every element carries the permissions that its document has in the source.

Sources: ${titles(registry.sources)}
Destinations: ${titles(registry.destinations)}

  millrace-ingest <command> [job.yaml] [flags]

${names.join('\n')}

${exampleJob(registry)}

  1. millrace-ingest check job.yaml     checks the source and the destination
  2. millrace-ingest preview job.yaml   shows the first documents after each node
  3. millrace-ingest run job.yaml       copies all of them; later runs only changes

A run records what it wrote in one file next to the job (job.state.jsonl): keep it.
A killed run continues when you start it again.

Exit codes: 0 success, 1 some documents failed, the listing was incomplete or
removals wait for approval, 2 bad configuration, 3 could not start (source unreachable,
credentials rejected, index missing).

  millrace-ingest <command> --help      the flags of a command
  millrace-ingest --version`
}

/** The flags of a job come from the schemas of all connector types. */
export async function commandHelp(command: Command, registry: Registry): Promise<string> {
  const { name, summary, positional, options, examples, readsJob } = command
  const parts = [
    `${summary}\n\n  millrace-ingest ${[name, positional.usage, '[flags]'].filter(Boolean).join(' ')}`,
    examples.map(([title, line]) => `${title ? `  # ${title}\n` : ''}  ${line}`).join('\n\n'),
  ]
  if (options.length > 0) parts.push(`Flags\n${options.map(optionLines).join('\n')}`)
  if (readsJob) parts.push(...(await import('./job-help.ts')).jobHelp(registry))
  return parts.join('\n\n')
}

function titles(types: readonly { title: string }[]): string {
  return types.map(({ title }) => title).join(', ')
}
