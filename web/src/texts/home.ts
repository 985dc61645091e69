import { count, listed } from './locale.ts'
import { counted } from './nouns.ts'

export const homeTexts = {
  title: 'Start',
  emptyDescription:
    'Millrace copies documents into a search index and keeps the permissions of their source.',
  description: 'What the index holds, and the results of the last runs.',
  setup: {
    title: 'Set up this workspace',
    needsDeveloper: (role: string) =>
      `Developers and administrators connect sources and destinations. Your role here is ${role}.`,
    done: 'done',
    open: 'to do',
    dismiss: (step: string) => `Dismiss: ${step}`,
    continue: 'Continue',
    searchSample: 'Search as two people',
    steps: {
      sample: {
        title: 'Try it with a sample',
        text: 'Search sample pages as two people and see different results. It takes about a minute, and nothing leaves this service.',
        action: 'Try it',
      },
      source: {
        title: 'Connect your source',
        text: (systems: string[]) => `Supported: ${listed(systems)}. You need an account that may read it.`,
        action: 'Connect your own',
      },
      destination: {
        title: 'Connect a destination',
        text: (systems: string[]) =>
          `Supported: ${listed(systems)}. Or use the sandbox, with nothing to set up.`,
        action: 'Connect',
      },
      run: {
        title: 'Run it for the first time',
        text: 'Choose what to read. The run copies it with its permissions.',
        action: 'Prepare the run',
      },
      schedule: {
        title: 'Set a schedule',
        text: 'Runs at fixed times keep the index current. Choose a workflow and when it runs.',
        action: 'Choose a workflow',
      },
      invite: {
        title: 'Invite colleagues',
        text: 'Each member has a role, from searching to managing this workspace.',
        action: 'Invite',
      },
      assistant: {
        title: 'Connect an assistant',
        text: 'With a personal token, an assistant finds what you may read, and nothing else.',
        action: 'Create a token',
      },
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
  },
  elements: {
    title: (name: string) => `Elements of ${name}`,
    summary: (elements: number, type: string) =>
      `${elements === 1 ? '1 element' : `${count(elements)} elements`}, read as ${type}`,
    list: 'Elements',
    none: 'This file contains no text.',
    close: 'Close',
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
    all: 'All runs',
    list: 'Last runs',
  },
}
