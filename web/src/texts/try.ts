import { counted } from './nouns.ts'
import { count } from './times.ts'

export const tryTexts = {
  title: 'Try it',
  text: 'Search a sample wiki as two people and see different results. It takes about a minute, and nothing leaves this service.',
  plan: [
    'Connects a sample wiki: two hundred pages, six people with different permissions',
    'Creates a sandbox: a table in the database of this service',
    'Runs a workflow that copies the pages with their permissions',
    'Opens the search as two people',
  ],
  start: 'Try it',
  starting: 'Creating the sample',
  pages: 'See the sample pages first',
  needsDeveloper: 'Only developers and administrators can start it. Your role here is',
  page: {
    description: 'When the run ends, the search opens as two people.',
    otherDescription: 'When the run ends, administrators can search as two people.',
    steps: 'Steps',
    done: 'done',
    working: 'in progress',
    open: 'to do',
    failed: 'failed',
    source: 'Sample wiki connected',
    sandbox: 'Sandbox created',
    run: (done: number, all: number) =>
      all === 0 ? 'First run: listing the pages' : `First run: ${count(done)} of ${counted(all, 'document')}`,
    search: (names: string) => `Search as ${names}`,
    and: ' and ',
    twoPeople: 'two people',
    job: 'Open the job',
    failedTitle: 'The run did not complete',
    failedText: 'The sample wiki and the sandbox stay. Run it again, or open the job to see the reason.',
    again: 'Run it again',
    home: 'Back to the start page',
    readyTitle: 'The sample is ready to search',
    needsAdministrator: (role: string) =>
      `Only administrators can search as other people. Your role here is ${role}. Send this search to an administrator:`,
    searchLink: 'the address of the search',
  },
  panel: {
    title: 'You are trying Millrace with a sandbox',
    search: 'Search as two people',
  },
}
