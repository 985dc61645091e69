import { type Command, type CommandOption, commands } from './commands.ts'
import { destinations, sources } from './connectors.ts'
import { type ConnectorFlag, connectorFlags } from './flags.ts'

const WIDTH = 80
const JOB_FILE = `  # job.yaml; secrets stay in the environment
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

export function commandHelp(command: Command): string {
  const { name, summary, positional, options, examples, readsJob } = command
  const parts = [
    `${summary}\n\n  millrace-ingest ${[name, positional.usage, '[flags]'].filter(Boolean).join(' ')}`,
    examples.map(([words, line]) => `${words ? `  # ${words}\n` : ''}  ${line}`).join('\n\n'),
  ]
  if (options.length > 0) parts.push(`Flags\n${options.map(optionLines).join('\n')}`)
  if (readsJob) parts.push(...jobHelp())
  return parts.join('\n\n')
}

function jobHelp(): string[] {
  const flags = connectorFlags()
  const of = (side: ConnectorFlag['side']) => flags.filter((flag) => flag.side === side)
  const types = (all: readonly { type: string }[]) => all.map(({ type }) => type)
  const job: CommandOption[] = [
    { name: 'state', value: 'path', description: 'Where the state is kept. Default: beside the job file.' },
    {
      name: 'nodes',
      value: 'file',
      description:
        'The nodes as a YAML or JSON file, or themselves: [{"type": "partition"}]. Default: auto, chunk_by_title, local.',
    },
    { name: 'source-type', value: 'type', description: 'Default: wiki.', choices: types(sources) },
    {
      name: 'destination-type',
      value: 'type',
      description: 'Default: searchindex.',
      choices: types(destinations),
    },
  ]
  return [
    `The job; flags win over the job file\n${job.map(optionLines).join('\n')}`,
    `Source\n${of('source').map(flagLines).join('\n')}`,
    `Destination\n${of('destination').map(flagLines).join('\n')}`,
    paragraph(
      `Any value may name environment variables as \${NAME}. Secrets on a command line can be read by others on the machine: name a variable instead, in single quotes.`,
      '',
    ),
  ]
}

function optionLines({ name, value, description, choices }: CommandOption): string {
  const said = choices ? `${description} One of: ${choices.join(', ')}.` : description
  return `  --${name}${value ? ` <${value}>` : ''}\n${paragraph(said, '      ')}`
}

function flagLines(flag: ConnectorFlag): string {
  const value = flag.kind === 'boolean' ? '' : flag.kind === 'list' ? ' <a,b,…>' : ` <${flag.kind}>`
  const remarks = [
    flag.description || `${flag.title}.`,
    flag.only.length > 0 ? `Only for ${flag.only.join(', ')}.` : '',
    flag.choices.length > 0 ? `Of: ${flag.choices.join(', ')}.` : '',
    flag.fallback !== null && flag.kind !== 'boolean' ? `Default: ${flag.fallback}.` : '',
    flag.example !== null && !flag.isSecret ? `Such as ${flag.example}` : '',
  ]
  return `  --${flag.name}${value}\n${paragraph(remarks.filter(Boolean).join(' '), '      ')}`
}

/** Text in lines that begin with the indent and break between words. */
export function paragraph(text: string, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line].map((each) => indent + each).join('\n')
}
