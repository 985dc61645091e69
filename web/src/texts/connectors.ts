import { capitalized, counted, plural, type Terms } from './nouns.ts'
import { count } from './times.ts'

const kinds = { source: 'source', destination: 'destination' } as const
type Kind = keyof typeof kinds

type Differences = { missing: number; extra: number }

export const connectorsTexts = {
  title: 'Connectors',
  description: 'Sources that documents are read from, and destinations that elements are written to.',
  tabs: { source: 'Sources', destination: 'Destinations' },
  new: { source: 'New source', destination: 'New destination' },
  list: { source: 'Sources', destination: 'Destinations' },
  columns: {
    name: 'Name',
    type: 'Type',
    address: 'Address',
    usedBy: 'Used by',
    lastCheck: 'Last test',
    actions: 'Actions',
  },
  unused: 'Not used yet',
  usedBy: (workflows: number) => (workflows === 1 ? '1 workflow' : `${workflows} workflows`),
  neverChecked: 'Never',
  checking: 'Testing',
  needsDeveloper: (role: string) =>
    `Only developers and administrators can change connectors. Your role here is ${role}.`,
  empty: {
    source: {
      title: 'No sources yet',
      text: 'A source is a system that documents are read from, with their permissions. You need its address and an account that may read it.',
    },
    destination: {
      title: 'No destinations yet',
      text: 'A destination is a system that elements are written to, with their permissions. You need its address and an account that may write to it.',
    },
  },
  menu: (name: string) => `More actions for ${name}`,
  edit: 'Edit',
  testAgain: 'Test again',
  duplicate: 'Duplicate',
  delete: 'Delete',
  copyOf: (name: string) => `${name} (copy)`,
  pick: {
    source: 'What do you want to read?',
    destination: 'Where do you want to write?',
  },
  otherType: 'Choose another type',
  documentation: 'Documentation',
  form: {
    nameLabel: 'Name',
    nameHelp: 'Shown in lists and workflows.',
    nameExample: {
      source: ({ system }: Terms) => `Team ${system}`,
      destination: ({ scope }: Terms) => `Team ${scope}`,
    },
    nameMissing: 'Enter a name.',
    missing: (title: string) => `${title} is required.`,
    notANumber: (title: string) => `${title} must be a whole number.`,
    save: 'Save and test',
    back: 'Cancel',
    saved: (name: string) => `${name} saved.`,
    hides: {
      site_changed: 'All its documents are hidden until a run has listed the new address.',
      account_changed: 'All its documents are hidden until their permissions are read with the new account.',
    },
    created: (name: string) => `${name} created.`,
    copied: 'Secrets are not copied. Enter them again.',
    used: (workflows: number) =>
      workflows === 1
        ? 'One workflow uses this connector. Its next run uses these settings.'
        : `${workflows} workflows use this connector. Their next runs use these settings.`,
    newTitle: (title: string, kind: Kind) => `New ${kinds[kind]}: ${title}`,
    connection: 'Connection',
  },
  advanced: (fields: number) => `Advanced (${fields})`,
  secret: {
    stored: 'Stored',
    replace: 'Replace',
    replaceNamed: (title: string) => `Replace: ${title}`,
    keep: 'Keep the stored value',
    show: (title: string) => `Show: ${title}`,
  },
  setting: 'the setting',
  authentication: 'Authentication',
  scopes: {
    load: ({ scope }: Terms) => `Show the ${plural(scope)}`,
    loadHelp: ({ system }: Terms) => `Reads them from the ${system}, with the settings above.`,
    loaded: (scopes: number, { scope }: Terms) =>
      scopes === 0
        ? `The account can see no ${plural(scope)}.`
        : `The account can see ${counted(scopes, scope)}.`,
    placeholder: 'Search, or enter a key',
    documents: (documents: number, { document }: Terms) => counted(documents, document),
  },
  check: {
    title: 'Connection test',
    running: 'Testing the connection. This takes a few seconds.',
    never: 'Not tested yet.',
    again: 'Test again',
    test: 'Test',
    success: 'The connection works.',
    successWithWarnings: 'The connection works, with warnings.',
    failure: 'The connection failed. Your settings are saved.',
    steps: 'Steps of the test',
    at: 'Tested',
    fix: 'What to do:',
    toField: (label: string) => `Go to the field “${label}”`,
    slow: 'The test is queued. The result appears here.',
  },
  newTab: 'opens in a new tab',
  continue: 'Continue to the first run',
  create: {
    title: (scope: string, name: string) => `The ${scope} ${name} does not exist`,
    text: (scope: string) =>
      `Millrace can create the ${scope} with its fields for text, metadata, permissions and vectors. Nothing else in the cluster changes.`,
    refused: (scope: string) =>
      `The credentials may not create the ${scope}. Run this command with credentials that may, then test again:`,
    action: (scope: string) => `Create the ${scope} for me`,
    what: 'What will be created',
    request: 'the request',
    byHand: 'Or run the same request by hand:',
    command: 'the command',
    created: (name: string) => `${name} created.`,
  },
  contents: {
    title: (index: string) => `Contents of the ${index}`,
    description: (index: string) =>
      `Compares the ${index} with what the runs wrote. They can differ after a restored backup or a change by another program. A repair changes only the differences.`,
    compare: 'Compare',
    stop: 'Stop',
    notCompleted: 'The comparison did not complete.',
    progress: {
      label: 'Progress of the comparison',
      waits: 'A run is writing. The comparison continues when it ends.',
      ledger: (done: number, all: number) => `${count(done)} of ${counted(all, 'document')} compared.`,
      index: (elements: number) => `Looking for unexpected elements: ${count(elements)} read.`,
      confirm: 'Comparing the differences again.',
      repair: (removed: number) => `Repairing: ${counted(removed, 'element')} removed.`,
    },
    agrees: (index: string, elements: number) =>
      `The ${index} holds exactly what was written: ${counted(elements, 'element')}.`,
    differs: (index: string, { missing, extra }: Differences) =>
      `The ${index} differs: ${counted(missing, 'element')} missing or changed, ${count(extra)} unexpected.`,
    foreign: (elements: number) =>
      `It also holds ${counted(elements, 'element')} from other programs, which a repair does not change.`,
    scopes: (scope: string, index: string) => `${capitalized(plural(scope))} in the ${index}`,
    findings: 'Documents that differ',
    more: (documents: number) =>
      `${counted(documents, 'more document')} ${documents === 1 ? 'differs' : 'differ'}.`,
    empty: 'Nothing has been written yet.',
    documents: 'Documents',
    elements: 'Elements',
    missing: 'Missing',
    different: 'Changed',
    extra: 'Unexpected',
    kind: 'Difference',
    kinds: { missing: 'Missing', different: 'Changed', extra: 'Unexpected' },
    document: 'Document',
    reason: 'Reason',
    repair: 'Repair',
    repairTitle: (index: string) => `Repair the ${index}`,
    repairText: ({ missing, extra }: Differences) =>
      `A run writes the documents of ${counted(missing, 'missing or changed element')} again. ` +
      `${counted(extra, 'element')} that no run wrote ${extra === 1 ? 'is' : 'are'} removed, which cannot be undone.`,
    repairing: (index: string) => `Repair of the ${index} started.`,
    repaired: (removed: number) => `${counted(removed, 'element')} removed. A run writes the missing ones.`,
    job: 'Open the run',
  },
  replaced: {
    title: 'Replaced indexes',
    description:
      'A swap keeps the index that it replaced. Searches no longer use it. Delete it when you no longer need it.',
    name: 'Index',
    elements: 'Elements',
    at: 'Replaced',
    actions: 'Actions',
    inUse: (aliases: string[]) => `Used by ${aliases.join(', ')}`,
    delete: (name: string) => `Delete the index ${name}`,
    deleteWord: 'Delete',
    deleteConfirm: 'Delete index',
    deleteText: (elements: number) =>
      `Its ${counted(elements, 'element')} ${elements === 1 ? 'is' : 'are'} deleted with it, so you cannot switch back to it. This cannot be undone.`,
    deleted: (name: string) => `${name} deleted.`,
  },
  deleteTitle: (name: string, kind: Kind) => `Delete the ${kinds[kind]} ${name}`,
  deleteText: {
    source: ({ system }: Terms) =>
      `Its settings and secrets are deleted. The ${system} and documents already read from it do not change.`,
    destination: ({ scope }: Terms) =>
      `Its settings and secrets are deleted. The ${scope} and its elements do not change.`,
  },
  deleteConfirm: { source: 'Delete source', destination: 'Delete destination' },
  deleted: (name: string) => `${name} deleted.`,
  inUseTitle: (name: string) => `${name} is in use`,
  inUse: 'These workflows use it. Change or delete them first:',
  close: 'Close',
}
