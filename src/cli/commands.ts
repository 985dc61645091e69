/** The commands as data, from which reading flags, help texts and completion follow. */
export type Command = {
  name: string
  summary: string
  /** Whether it reads a job, from a file or from flags. */
  readsJob: boolean
  positional: { most: number; usage: string; words: string }
  options: CommandOption[]
  examples: [words: string, command: string][]
}

/** `value` names what follows the flag; without it the flag stands alone. */
export type CommandOption = { name: string; value?: string; description: string; choices?: string[] }

const JSON_OPTION: CommandOption = { name: 'json', description: 'One JSON object a line, for machines.' }
const JOB = { most: 1, usage: '[job.yaml]', words: 'one job file' }

export const commands: Command[] = [
  {
    name: 'run',
    summary: 'Carry a wiki into an index; the next time only what changed.',
    readsJob: true,
    positional: JOB,
    options: [
      { name: 'reprocess-all', description: 'Work every document again, changed or not.' },
      {
        name: 'approve-deletions',
        description: 'Remove documents that a run held back and hid: over 30 % of the documents and over 20.',
      },
      JSON_OPTION,
      { name: 'quiet', description: 'No progress; only what went wrong, and the summary.' },
    ],
    examples: [
      ['A job file', 'millrace-ingest run job.yaml'],
      [
        'Everything as flags; the single quotes leave the variables to millrace-ingest',
        `millrace-ingest run --source-url https://acme.atlassian.net --source-cloud \\
    --source-username me@acme.example --source-token '\${WIKI_TOKEN}' \\
    --destination-hosts https://localhost:9200 --destination-index-name wiki \\
    --destination-search-api-key '\${SEARCH_KEY}'`,
      ],
      [
        'A job file, for one space, into a folder',
        'millrace-ingest run job.yaml --source-spaces ENG \\\n    --destination-type folder --destination-path ./elements --state eng.state.jsonl',
      ],
    ],
  },
  {
    name: 'check',
    summary: 'Try the source and the destination, step by step. Nothing is written.',
    readsJob: true,
    positional: JOB,
    options: [JSON_OPTION],
    examples: [['', 'millrace-ingest check job.yaml']],
  },
  {
    name: 'preview',
    summary: 'Show what becomes of the first pages, node by node. Nothing is written.',
    readsJob: true,
    positional: JOB,
    options: [
      { name: 'limit', value: 'number', description: 'How many documents. Default: 3.' },
      { name: 'record-id', value: 'id', description: 'One document by its id, in place of the first ones.' },
      JSON_OPTION,
    ],
    examples: [['', 'millrace-ingest preview job.yaml --limit 1']],
  },
  {
    name: 'audit',
    summary: 'Compare what the index grants with what the wiki grants. Nothing is written.',
    readsJob: true,
    positional: JOB,
    options: [
      { name: 'sample', value: 'number', description: 'How many pairs of people and pages. Default: 200.' },
      {
        name: 'seed',
        value: 'number',
        description: 'The same seed draws the same pairs. Default: 1.',
      },
      { name: 'spaces', value: 'keys', description: 'Pages of these spaces only, such as ENG,HR.' },
      JSON_OPTION,
    ],
    examples: [
      ['Ends with 1 where the index grants more than the wiki', 'millrace-ingest audit job.yaml'],
      ['Another sample, of one space', 'millrace-ingest audit job.yaml --sample 1000 --seed 2 --spaces HR'],
    ],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a job file, for editors.',
    readsJob: false,
    positional: { most: 0, usage: '', words: 'nothing but flags' },
    options: [],
    examples: [
      ['', 'millrace-ingest schema > job.schema.json'],
      ['First line of a job file', '# yaml-language-server: $schema=job.schema.json'],
    ],
  },
  {
    name: 'completion',
    summary: 'Print what makes a shell complete commands and flags.',
    readsJob: false,
    positional: { most: 1, usage: 'bash|zsh|fish', words: 'one shell: bash, zsh or fish' },
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
