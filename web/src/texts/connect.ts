import { counted, plural, type Terms } from './nouns.ts'
import { count } from './times.ts'

type Estimate = { scopes: number; documents: number; leftOut: number; scopesLeftOut: number; unknown: number }

export const connectTexts = {
  title: 'Connect your own',
  open: 'Connect',
  restart: 'Start again',
  kinds: { source: 'Source', destination: 'Destination' },
  description:
    'Three steps to the first search. Each connection is tested, and nothing is written before you start the run.',
  done: 'done',
  change: 'Change',
  changeNamed: (step: string) => `Change: ${step}`,
  uses: (name: string) => `Uses ${name}.`,
  another: { source: 'Use another source', destination: 'Use another destination' },
  settings: 'Change its settings',
  use: { source: 'Use an existing source', destination: 'Use an existing destination' },
  usePlaceholder: 'Choose, or connect a new one below',
  type: { source: 'What do you want to read?', destination: 'Where do you want to write?' },
  useSandbox: 'Use the sandbox',
  onlyScope: (key: string, { scope }: Terms) => `Only ${scope} ${key}`,
  removeScope: (key: string, { scope }: Terms) => `Remove: only ${scope} ${key}`,
  fromAddress: 'From the address. You can choose others before the first run.',
  save: 'Test and save',
  failed: 'The connection failed. Nothing is saved; correct the settings and test again.',
  next: 'Next',
  existing: {
    title: (name: string) => `The workflow ${name} already copies this source to this destination`,
    text: 'Open it to run it or to change what it reads.',
    open: 'Open the workflow',
  },
  run: {
    title: 'First run',
    all: ({ scope }: Terms, number: number | undefined) =>
      number === undefined ? `All ${plural(scope)}` : `All ${counted(number, scope)}`,
    some: ({ scope }: Terms) => `Only chosen ${plural(scope)}`,
    filter: ({ scope }: Terms) => `Filter the ${plural(scope)}`,
    loading: ({ scope }: Terms) => `Reading the ${plural(scope)}`,
    counting: ({ document }: Terms) => `Counting the ${plural(document)}.`,
    noMatch: ({ scope }: Terms) => `No ${scope} matches.`,
    noneChosen: ({ scope }: Terms) => `Choose at least one ${scope}, or all.`,
    documents: (documents: number, limit: number | null, { document }: Terms) =>
      limit !== null && documents > limit
        ? `${counted(documents, document)}, of which ${count(limit)} are read`
        : counted(documents, document),
    estimate: ({ scopes, documents, unknown }: Estimate, { scope, document }: Terms) => {
      if (unknown >= scopes && documents === 0) return `Reads ${counted(scopes, scope)}.`
      const more = unknown > 0 ? `, and ${counted(unknown, scope)} of unknown size` : ''
      return `Reads about ${counted(documents, document)} of ${counted(scopes - unknown, scope)}${more}.`
    },
    leftOut: ({ leftOut, scopesLeftOut }: Estimate, { scope, document }: Terms) => {
      const parts = [
        ...(leftOut > 0 ? [counted(leftOut, document)] : []),
        ...(scopesLeftOut > 0 ? [counted(scopesLeftOut, scope)] : []),
      ]
      const isOne = leftOut + scopesLeftOut === 1
      return `${parts.join(' and ')} ${isOne ? 'is' : 'are'} left out by the limits above.`
    },
    raise: (documents: number) => `Raise the limit to ${count(documents)}`,
    workflowName: (source: string, destination: string) => `${source} to ${destination}`,
    what: (destination: string) =>
      `Creates a workflow with the default steps and starts it. The run writes to ${destination}.`,
    start: 'Start the first run',
  },
  progress: {
    label: 'Progress of the first run',
    documents: (done: number, all: number, { document }: Terms) =>
      all === 0 ? `Listing the ${plural(document)}` : `${count(done)} of ${counted(all, document)}`,
    job: 'Open the run',
    ready: 'The first run is complete',
    readyCut: 'The first run has ended',
    someLeftOut: ({ document }: Terms) =>
      `A limit left out some ${plural(document)}. The others can be searched.`,
    readyText: 'Search what it wrote, as yourself or as other people.',
    someFailed: (documents: number, { document }: Terms) =>
      `${counted(documents, document)} failed; the run names the reasons. The others can be searched.`,
    search: 'Search it',
    failed: 'The run did not complete',
    again: 'Run it again',
    change: 'Change what is read',
  },
}
