import { count } from './times.ts'

const kinds = { source: 'source', destination: 'destination' } as const
type Kind = keyof typeof kinds

type Differences = { missing: number; extra: number }

export const connectorsTexts = {
  title: 'Connectors',
  description: 'Where pages are read from, and where they are written to.',
  tabs: { source: 'Sources', destination: 'Destinations' },
  new: { source: 'New source', destination: 'New destination' },
  list: { source: 'Sources', destination: 'Destinations' },
  columns: {
    name: 'Name',
    type: 'Type',
    address: 'Address',
    usedBy: 'Used by',
    lastCheck: 'Last check',
    actions: 'Actions',
  },
  unused: 'Nothing yet',
  usedBy: (workflows: number) => (workflows === 1 ? '1 workflow' : `${workflows} workflows`),
  neverChecked: 'Never',
  checking: 'Checking',
  needsDeveloper: (role: string) =>
    `Developers and administrators of this workspace change connectors. You are here as ${role}.`,
  empty: {
    source: {
      title: 'No sources yet',
      text: 'A source is a wiki that pages are read from, with their permissions. You need its address and an account that may read.',
    },
    destination: {
      title: 'No destinations yet',
      text: 'A destination is the search index that pages are written to. You need its address, a key, and the name of an index.',
    },
  },
  menu: (name: string) => `More for ${name}`,
  edit: 'Edit',
  testAgain: 'Test again',
  duplicate: 'Duplicate',
  delete: 'Delete',
  copyOf: (name: string) => `${name} (Copy)`,
  pick: {
    source: 'What do you want to read?',
    destination: 'Where do you want to write?',
  },
  about: {
    wiki: 'Pages of Confluence, Cloud or Data Center, with the permissions they have there.',
    searchindex: 'An index of Elasticsearch or OpenSearch in a hosted service.',
  } as Record<string, string>,
  otherType: 'Another type',
  form: {
    nameLabel: 'Name',
    nameHelp: 'What it is called in lists and workflows.',
    nameExample: { source: 'Team wiki', destination: 'Team search' },
    nameMissing: 'Give it a name.',
    missing: (title: string) => `${title} is needed.`,
    noNumber: (title: string) => `${title} is a whole number.`,
    save: 'Save and Test',
    back: 'Cancel',
    saved: (name: string) => `${name} is saved.`,
    copied: 'Secrets are not copied: enter them again.',
    used: (workflows: number) =>
      workflows === 1
        ? 'One workflow uses it; its next run takes these settings.'
        : `${workflows} workflows use it; their next runs take these settings.`,
    newTitle: (title: string, kind: Kind) => `New ${kinds[kind]}: ${title}`,
    connection: 'Connection',
  },
  advanced: (fields: number) => `Advanced (${fields})`,
  secret: {
    set: 'Set',
    replace: 'Replace',
    replaceNamed: (title: string) => `Replace: ${title}`,
    keep: 'Keep the stored one',
    show: (title: string) => `Show what is typed: ${title}`,
  },
  signIn: {
    label: 'Authentication',
    apiToken: 'User name and API token',
    apiTokenHelp:
      'Usual for Confluence Cloud: the account’s e-mail address, and a token made in its settings.',
    apiTokenTitle: 'API token',
    apiTokenFieldHelp: 'Made under the account’s security settings. A scoped one works too.',
    personal: 'Personal access token',
    personalHelp: 'Usual for Data Center: a token made in the profile, without a user name.',
    personalTitle: 'Personal access token',
    personalFieldHelp: 'Made in the profile of the account that reads.',
    password: 'User name and password',
    passwordHelp: 'Where tokens are switched off.',
    passwordFieldHelp: 'Of the account that reads.',
  },
  spaces: {
    load: 'Show the spaces',
    loadHelp: 'Asks the wiki with the address and the account above.',
    loaded: (spaces: number) =>
      spaces === 1 ? 'The account can see 1 space.' : `The account can see ${spaces} spaces.`,
    none: 'The account can see no spaces.',
    searchOr: 'Search, or type a key',
  },
  check: {
    title: 'Connection test',
    running: 'Testing the connection. This takes a few seconds.',
    never: 'It has not been tested yet.',
    again: 'Test again',
    test: 'Test',
    success: 'The connection works.',
    warned: 'The connection works, with something to know.',
    failure: 'The connection does not work yet. What is saved stays saved.',
    steps: 'Steps of the test',
    at: 'Tested',
    fix: 'What to do:',
    slow: 'It is still waiting for its turn; the result appears here.',
  },
  contents: {
    title: 'What the index holds',
    description:
      'Compares what the runs wrote with what the index holds now. After a restored snapshot or a stray script the two may differ; repairing mends only that.',
    compare: 'Compare',
    agrees: (elements: number) =>
      `The index holds exactly what was written: ${counted(elements, 'element')}.`,
    differs: ({ missing, extra }: Differences) =>
      `The index differs: ${counted(missing, 'element')} missing or changed, ${count(extra)} too many.`,
    foreign: (elements: number) =>
      `${counted(elements, 'element')} of other writers ${elements === 1 ? 'is' : 'are'} in it as well, and left alone.`,
    spaces: 'Spaces in the index',
    findings: 'Documents that differ',
    more: (documents: number) => `${counted(documents, 'more document')} that differ.`,
    empty: 'Nothing was written into it yet.',
    space: 'Space',
    documents: 'Documents',
    elements: 'Elements',
    missing: 'Missing',
    different: 'Changed',
    extra: 'Too many',
    kind: 'Difference',
    kinds: { missing: 'Missing', different: 'Changed', extra: 'Too many' },
    document: 'Document',
    reason: 'Why',
    repair: 'Repair',
    repairTitle: 'Repair the index',
    repairText: ({ missing, extra }: Differences) =>
      `A run writes the documents of ${counted(missing, 'element')} again that ${missing === 1 ? 'is' : 'are'} missing or changed. ` +
      `${counted(extra, 'element')} that no run wrote ${extra === 1 ? 'is' : 'are'} removed, which cannot be undone.`,
    repairing: 'The index is being repaired.',
    repaired: (removed: number) => `Removed ${counted(removed, 'element')}; the rest is for a run.`,
    job: 'See how it goes on',
  },
  replaced: {
    title: 'Replaced indexes',
    description:
      'A swap leaves the index that was searched before. Nobody finds anything in it; it is kept until you delete it.',
    name: 'Index',
    elements: 'Elements',
    at: 'Replaced',
    actions: 'Actions',
    inUse: (aliases: string[]) => `Stands behind ${aliases.join(', ')}`,
    delete: (name: string) => `Delete the index ${name}`,
    deleteWord: 'Delete',
    deleteConfirm: 'Delete index',
    deleteText: (elements: number) =>
      `Its ${counted(elements, 'element')} and the way back to what was searched before go with it. This cannot be undone.`,
    deleted: (name: string) => `${name} is deleted.`,
  },
  deleteTitle: (name: string, kind: Kind) => `Delete the ${kinds[kind]} ${name}`,
  deleteText: {
    source: 'Its settings and its secrets go. The wiki and what has been read from it stay as they are.',
    destination: 'Its settings and its secrets go. The index and what is in it stay as they are.',
  },
  deleteConfirm: { source: 'Delete source', destination: 'Delete destination' },
  deleted: (name: string) => `${name} is deleted.`,
  inUseTitle: (name: string) => `${name} is in use`,
  inUse: 'These workflows use it. Give them another one or delete them first:',
  understood: 'Close',
}

function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}
