import { counted } from './nouns.ts'
import { count } from './times.ts'

export const tryTexts = {
  title: 'Try it',
  page: {
    description: 'When the run ends, the search opens as two people.',
    otherDescription: 'When the run ends, administrators can search as two people.',
    run: (done: number, all: number) =>
      all === 0 ? 'First run: listing the pages' : `First run: ${count(done)} of ${counted(all, 'document')}`,
    job: 'Open the run',
    failedTitle: 'The run did not complete',
    failedText: 'The sample wiki and the sandbox stay. Run it again, or open the run to see the reason.',
    again: 'Run it again',
    home: 'Back to the start page',
    readyTitle: 'The sample is ready to search',
    needsAdministrator: (role: string) =>
      `Only administrators can search as other people. Your role here is ${role}. Send this search to an administrator:`,
    searchLink: 'the address of the search',
  },
}
