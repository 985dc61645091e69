import { type Command, commands } from '../commands.ts'
import { optionLines } from './help-lines.ts'

/** Also what `schema` is tested with. */
export const JOB_FILE = `  # job.yaml; secrets stay in the environment
  source:
    type: wiki
    config:
      url: https://acme.atlassian.net
      cloud: true
      username: me@acme.example
      token: \${WIKI_TOKEN}
      spaces: [ENG, HR]        # none: all of them
  destination:
    type: searchindex
    config:
      hosts: [https://localhost:9200]
      search_api_key: \${SEARCH_KEY}
      index_name: wiki
  nodes:                       # these are the defaults
    - {type: partition, subtype: auto}
    - {type: chunk, subtype: chunk_by_title, settings: {max_characters: 1000}}
    - {type: embed, subtype: local}`

export function generalHelp(): string {
  const names = commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`)
  return `millrace-ingest carries a wiki (Confluence) into a search index (Elasticsearch,
OpenSearch), with the permissions it had in the wiki on every element.

  millrace-ingest <command> [job.yaml] [flags]

${names.join('\n')}

${JOB_FILE}

  1. millrace-ingest check job.yaml     tries both ends and says what is missing
  2. millrace-ingest preview job.yaml   shows what becomes of the first pages
  3. millrace-ingest run job.yaml       carries all of it; again, only what changed

What a run has written it notes in one file beside the job (job.state.jsonl): keep
it. A run may be killed at any moment and goes on when it is started again.

Exit codes: 0 all well, 1 some documents failed, the listing was incomplete or
deletions were held back, 2 bad configuration, 3 could not start (wiki unreachable,
credentials refused, index missing).

  millrace-ingest <command> --help      the flags of a command
  millrace-ingest --version`
}

/** What a job's flags are is known once the settings of all connectors are, which takes most of the time. */
export async function commandHelp(command: Command): Promise<string> {
  const { name, summary, positional, options, examples, readsJob } = command
  const parts = [
    `${summary}\n\n  millrace-ingest ${[name, positional.usage, '[flags]'].filter(Boolean).join(' ')}`,
    examples.map(([words, line]) => `${words ? `  # ${words}\n` : ''}  ${line}`).join('\n\n'),
  ]
  if (options.length > 0) parts.push(`Flags\n${options.map(optionLines).join('\n')}`)
  if (readsJob) parts.push(...(await import('./job-help.ts')).jobHelp())
  return parts.join('\n\n')
}
