import { count } from './locale.ts'
import { counted } from './nouns.ts'

export const homeTexts = {
  title: 'Start',
  emptyDescription:
    'Millrace copies documents into a search index and keeps the permissions of their source. Three ways to start:',
  description: 'What the index holds, and the results of the last runs.',
  connect: {
    title: 'Connect your own',
    text: 'Copy your documents into your search index. You can test each connection before anything is written.',
    steps: {
      source: 'A source, with an account that may read it',
      destination: 'A destination, with the index to write to',
      workflow: 'A workflow from the source to the destination',
      run: 'The first run',
    },
    done: 'done',
    open: 'to do',
    start: 'Connect your own',
    continue: 'Continue',
    actions: {
      workflow: 'Create a workflow',
      run: 'Run the workflow',
    },
    needsDeveloper: 'Only developers and administrators can create connectors. Your role here is',
    needsOperator:
      'Only operators, developers and administrators can create and run workflows. Your role here is',
  },
  sample: {
    title: 'Try it with a sample wiki',
    page: 'Sample wiki',
    text: 'Two hundred sample pages and six sample people with different permissions. It runs inside this service; nothing leaves the machine.',
    off: 'The sample wiki is disabled on this service.',
    try: 'Try it with a sample wiki',
    connected: 'Sample wiki connected.',
    open: 'Open the sample wiki',
    demo: 'To search as two people with a real search engine, run this in the source code folder:',
    command: 'npm run demo',
    needsDeveloper: 'Only developers and administrators can connect it. Your role here is',
    next: 'Next step',
    needsIndex:
      'Below you see the elements of its pages; nothing is written yet. To search them, connect a destination and create a workflow.',
    isWritten: 'Its elements are in the sandbox of this workspace. Search them as two people.',
    offersTry:
      'Below you see the elements of its pages; nothing is written yet. “Try it” writes them to a sandbox inside this service and opens the search as two people.',
    hasIndex:
      'Below you see the elements of its pages; nothing is written yet. Create a workflow to write them to your index.',
    workflow: 'Create a workflow from it',
    destination: 'Connect a destination',
    pages: {
      title: 'Elements of a page',
      description:
        'The first ten pages, processed with the default nodes. A workflow would write these elements to the index, each with the permissions of its page.',
      waiting: 'Reading pages and computing vectors. The first time takes a few seconds.',
    },
    people: {
      title: 'Sample people',
      description:
        'When the pages are in an index, search as one of these people by account id. Each finds different pages.',
      id: (name: string) => `the account id of ${name}`,
    },
  },
  file: {
    title: 'Drop a file',
    text: 'See the elements of a file. Nothing is stored.',
    drop: 'Drop a file here, or',
    choose: 'Choose a file',
    limit: 'HTML, Markdown, plain text and other readable files, up to 10 MB.',
    tooLarge: 'This file is larger than 10 MB.',
    working: (name: string) => `Reading ${name}`,
    needsDeveloper: 'Only developers and administrators can try files. Your role here is',
  },
  elements: {
    title: (name: string) => `Elements of ${name}`,
    summary: (elements: number, type: string) =>
      `${elements === 1 ? '1 element' : `${count(elements)} elements`}, read as ${type}`,
    list: 'Elements',
    none: 'This file contains no text.',
    metadata: 'Metadata',
    page: (page: number) => `page ${page}`,
    more: (elements: number) => `Show ${count(elements)} more`,
    close: 'Close',
    noText: 'No text',
  },
  summary: {
    label: 'Summary',
    documents: 'Documents in the index',
    elements: 'Elements in the index',
    failures: 'Failed documents (7 days)',
    failedJobs: 'Failed runs (7 days)',
    permissions: 'Oldest permissions',
    permissionsHelp: 'when they were last read from the source',
    never: 'Not read yet',
  },
  hidden: {
    title: 'Search hides documents with old permissions',
    text: 'Permissions were not read within the maximum age. Open the workflow to read them now:',
    hides: (scopes: number, scope: string) => `: ${counted(scopes, scope)} hidden`,
  },
  byDay: {
    title: 'Documents over time',
    description: 'Documents processed in the last two weeks, by day (UTC).',
    label: (total: number) => `Documents processed in the last two weeks, by day: ${count(total)} in total.`,
    day: 'Day',
    new: 'New',
    changed: 'Changed',
    removed: 'Removed',
    failed: 'Failed',
  },
  runs: {
    title: 'Last runs',
    all: 'All jobs',
    list: 'Last runs',
  },
}
