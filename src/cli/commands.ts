/** Commands as data, for flags, help texts and completion. */
export type Command = {
  name: string
  summary: string
  /** Whether the command reads a job, from a file or from flags. */
  readsJob: boolean
  positional: { max: number; usage: string; expects: string }
  options: CommandOption[]
  examples: [title: string, command: string][]
}

/** `value` names the value of the flag; a flag without it is a switch. */
export type CommandOption = { name: string; value?: string; description: string; choices?: string[] }

const JSON_OPTION: CommandOption = { name: 'json', description: 'Print one JSON object per line.' }
const JOB = { max: 1, usage: '[job.yaml]', expects: 'one job file' }

export const commands: Command[] = [
  {
    name: 'run',
    summary: 'Copy a source into an index; later runs copy only changes.',
    readsJob: true,
    positional: JOB,
    options: [
      { name: 'reprocess-all', description: 'Process every document again, changed or not.' },
      {
        name: 'permissions-only',
        description: 'Update only the permissions of indexed documents; read no body and add no document.',
      },
      {
        name: 'approve-deletions',
        description:
          'Remove documents that an earlier run only hid: removing more than 20 and more than 30 % of all needs approval.',
      },
      JSON_OPTION,
      { name: 'quiet', description: 'Print only problems and the summary, no progress.' },
    ],
    examples: [
      ['A job file', 'millrace-ingest run job.yaml'],
      [
        'Everything as flags; single quotes keep the shell from expanding the variables',
        `millrace-ingest run --source-url https://acme.atlassian.net --source-cloud \\
    --source-username me@acme.example --source-token '\${SOURCE_TOKEN}' \\
    --destination-hosts https://localhost:9200 --destination-index-name docs \\
    --destination-search-api-key '\${SEARCH_KEY}'`,
      ],
      [
        'A job file, one scope only, into a folder',
        'millrace-ingest run job.yaml --source-spaces ENG \\\n    --destination-type folder --destination-path ./elements --state eng.state.jsonl',
      ],
    ],
  },
  {
    name: 'check',
    summary: 'Check the source and the destination step by step. Writes nothing.',
    readsJob: true,
    positional: JOB,
    options: [JSON_OPTION],
    examples: [['', 'millrace-ingest check job.yaml']],
  },
  {
    name: 'preview',
    summary: 'Show the first documents after each node. Writes nothing.',
    readsJob: true,
    positional: JOB,
    options: [
      { name: 'limit', value: 'number', description: 'How many documents. Default: 3.' },
      { name: 'record-id', value: 'id', description: 'Show this document instead of the first ones.' },
      JSON_OPTION,
    ],
    examples: [['', 'millrace-ingest preview job.yaml --limit 1']],
  },
  {
    name: 'audit',
    summary: 'Compare the permissions in the index with those in the source. Writes nothing.',
    readsJob: true,
    positional: JOB,
    options: [
      {
        name: 'sample',
        value: 'number',
        description: 'How many pairs of people and documents. Default: 200.',
      },
      {
        name: 'seed',
        value: 'number',
        description: 'The same seed chooses the same pairs. Default: 1.',
      },
      { name: 'spaces', value: 'keys', description: 'Only documents of these scopes, such as ENG,HR.' },
      JSON_OPTION,
    ],
    examples: [
      ['Exits with 1 if the index grants more than the source', 'millrace-ingest audit job.yaml'],
      ['Another sample, of one scope', 'millrace-ingest audit job.yaml --sample 1000 --seed 2 --spaces HR'],
    ],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a job file, for editors.',
    readsJob: false,
    positional: { max: 0, usage: '', expects: 'only flags' },
    options: [],
    examples: [
      ['', 'millrace-ingest schema > job.schema.json'],
      ['First line of a job file', '# yaml-language-server: $schema=job.schema.json'],
    ],
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and flags in a shell.',
    readsJob: false,
    positional: { max: 1, usage: 'bash|zsh|fish', expects: 'one shell: bash, zsh or fish' },
    options: [],
    examples: [
      ['bash', 'source <(millrace-ingest completion bash)'],
      ['fish', 'millrace-ingest completion fish | source'],
    ],
  },
]

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
