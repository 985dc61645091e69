import { counted, plural, type Terms } from './nouns.ts'
import { count } from './times.ts'

type Estimate = { scopes: number; documents: number; leftOut: number; scopesLeftOut: number; unknown: number }

export const connectTexts = {
  title: 'Connect your own',
  description:
    'Three steps to the first search. Each connection is tested, and nothing is written before you start the run.',
  done: 'done',
  change: 'Change',
  changeNamed: (step: string) => `Change: ${step}`,
  uses: (name: string) => `Uses ${name}.`,
  another: { source: 'Use another source', destination: 'Use another destination' },
  existing: { source: 'Use an existing source', destination: 'Use an existing destination' },
  existingPlaceholder: 'Choose, or connect a new one below',
  type: { source: 'Type of the source', destination: 'Type of the destination' },
  save: 'Save and test',
  saveAgain: 'Save and test again',
  next: 'Next',
  stepByStep: 'Set up step by step',
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
    job: 'Open the job',
    ready: 'The first run is complete',
    readyCut: 'The first run has ended',
    someLeftOut: ({ document }: Terms) =>
      `A limit left out some ${plural(document)}. The others can be searched.`,
    readyText: 'Search what it wrote, as yourself or as other people.',
    someFailed: (documents: number, { document }: Terms) =>
      `${counted(documents, document)} failed; the job names the reasons. The others can be searched.`,
    search: 'Search it',
    failed: 'The run did not complete',
    again: 'Run it again',
    change: 'Change what is read',
  },
}
