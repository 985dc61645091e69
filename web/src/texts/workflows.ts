import type { Choice } from '../pages/workflows/schedule/choice.ts'
import { count } from './locale.ts'
import { counted, plural } from './nouns.ts'
import { stateTexts } from './states.ts'

const providers = {
  openai: 'OpenAI or compatible',
  azure_openai: 'Azure OpenAI',
  anthropic: 'Anthropic',
  bedrock: 'Amazon Bedrock',
  togetherai: 'Together',
  voyageai: 'Voyage',
  cohere: 'Cohere',
}
const enrichmentTitles = {
  image_description: 'Describe pictures',
  table_description: 'Describe tables',
  table2html: 'Convert tables to HTML',
  ner: 'Find entities',
  ocr: 'Read text in pictures',
}

function enrichments(word: (provider: string, kind: string) => string): Record<string, string> {
  const named = Object.entries(providers).flatMap(([provider, name]) =>
    Object.entries(enrichmentTitles).map(([kind, title]) => [`${provider}_${kind}`, word(name, title)]),
  )
  return { ...Object.fromEntries(named), twopass_table2html: enrichmentTitles.table2html }
}

export const workflowsTexts = {
  title: 'Workflows',
  description: 'A workflow copies documents from a source to a destination, on demand or by schedule.',
  new: 'New workflow',
  list: 'Workflows',
  columns: {
    name: 'Name',
    path: 'Source → destination',
    schedule: 'Schedule',
    runs: 'Last runs',
    active: 'Active',
    run: 'Run',
    actions: 'Actions',
  },
  needsOperator: (role: string) =>
    `Only operators, developers and administrators can create and run workflows. Your role here is ${role}.`,
  needsDeveloper: (role: string) =>
    `A preview reads with the account of the source, so only developers and administrators can use it. Your role here is ${role}.`,
  noConnector: 'None',
  empty: {
    title: 'No workflows yet',
    text: 'A workflow reads documents from a source, turns them into elements and writes these to a destination with their permissions.',
  },
  nextRun: (when: string) => `Next run: ${when}`,
  paused: 'Paused',
  toggle: (name: string) => `${name} active`,
  on: 'Active',
  off: 'Paused',
  resumedNotice: (name: string) => `${name} resumed.`,
  pausedNotice: (name: string) => `${name} paused.`,
  run: 'Run',
  startRun: 'Start run',
  runNamed: (name: string) => `Run ${name}`,
  running: 'Running',
  openRun: (name: string) => `Open the active run of ${name}`,
  whyNoRun: {
    paused: 'This workflow is paused.',
    incomplete: 'Choose a source and a destination first.',
    unsaved: 'Save your changes first.',
    role: 'Your role cannot run workflows.',
  },
  noRuns: 'Not run yet',
  incomplete: 'Incomplete',
  summary: (runs: number, parts: string) =>
    `${runs === 1 ? 'The last run' : `The last ${runs} runs`}: ${parts}`,
  summaryPart: (count: number, state: string) => `${count} ${state.toLowerCase()}`,
  bar: (when: string, state: string, took: string) => `${when}: ${state}, ${took}`,
  failed: (documents: number) => `${count(documents)} failed`,
  heldBack: (documents: number) => `${count(documents)} held back`,
  notStarted: 'not started',
  menu: (name: string) => `More actions for ${name}`,
  edit: 'Edit',
  duplicate: 'Duplicate',
  export: 'Export YAML',
  delete: 'Delete',
  copyOf: (name: string) => `${name} (copy)`,
  deleteTitle: (name: string) => `Delete the workflow ${name}`,
  deleteText: 'It stops running. Its past runs stay in the list.',
  deleteElements: (destination: string | undefined) => `Its elements in ${destination ?? 'the index'}`,
  deleteChoices: {
    keep: {
      label: 'Keep them in the index',
      help: 'They are no longer updated, and Millrace search no longer shows them. Systems that query the index directly still find them, with permissions that get old. A new workflow with the same source and index takes them over.',
    },
    remove: {
      label: 'Remove them from the index',
      help: 'Search hides them immediately, and a run removes them. This cannot be undone.',
    },
  },
  deleteConfirm: { keep: 'Delete workflow', remove: 'Delete workflow and elements' },
  deleted: {
    keep: (name: string) => `${name} deleted. Its elements stay in the index.`,
    remove: (name: string) => `${name} deleted. Its elements are being removed from the index.`,
  },

  build: {
    guided: 'Step by step',
    guidedText: 'Connect a source and a destination, choose what to read, and start the first run.',
    custom: 'In the editor',
    customText: 'Choose every step of the processing, and preview a document after each one.',
  },
  form: {
    name: 'Name',
    nameHelp: 'Shown in lists and runs.',
    nameExample: 'Handbook to search',
    nameMissing: 'Enter a name.',
    source: 'Source',
    sourceHelp: 'Where documents are read from.',
    destination: 'Destination',
    destinationHelp: 'Where elements are written to.',
    choose: 'Choose one',
    none: 'None yet.',
    createConnector: { source: 'New source', destination: 'New destination' },
    never: 'On demand only',
    reprocess: 'Reprocess all documents',
    reprocessHelp:
      'Every run processes every document again. Without this, runs process only changed documents, which is usually enough.',
    swap: 'Swap the index',
    swapHelp:
      'A run that processes every document fills a new index and replaces the old one when complete. The destination must use an alias.',
    permissions: {
      schedule: 'Permission schedule',
      scheduleHelp:
        'How often permissions are read between runs, without reading text. Paused while the workflow is paused.',
      phrases: {
        'every 1 minute': 'Every minute',
        'every 60 minutes': 'Every hour',
        'every 240 minutes': 'Every 4 hours',
        'every 1440 minutes': 'Every day',
        off: 'Only during runs',
      } as Record<string, string>,
      hours: ' hours',
      maxAge: {
        label: 'Maximum age of permissions',
        help: 'Search hides documents whose permissions were read longer ago. Empty for no maximum.',
        empty: 'No maximum',
      },
      hideInIndex: {
        label: 'Hide in the index after',
        help: 'For systems that query the index directly: documents with older permissions get no readers in the index. Empty for never.',
        empty: 'Never',
      },
    },
  },

  schedule: {
    label: 'Schedule',
    help: 'Runs of one workflow never overlap.',
    /** Schedules and crons in words, in other languages than English. */
    phrases: {} as Record<string, string>,
    said: (_: Choice): string | undefined => undefined,
    modes: { daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly', cron: 'Cron expression' },
    time: 'Time of day',
    days: 'Days',
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
    day: 'Day of the month',
    zone: 'Time zone',
    cron: 'Cron expression',
    cronHelp: 'Minute, hour, day of the month, month, day of the week. At least 15 minutes between two runs.',
    nextRuns: 'Next runs:',
  },

  editor: {
    newTitle: 'New workflow',
    save: 'Save',
    create: 'Create workflow',
    saved: (name: string) => `${name} saved.`,
    savedNodes: 'The steps changed, so the next run processes every document again.',
    unsaved: 'Unsaved changes',
    undo: 'Undo',
    redo: 'Redo',
    views: { overview: 'Overview', steps: 'Steps', yaml: 'YAML', preview: 'Preview' },
    viewsLabel: 'Views',
    leaveTitle: 'Leave without saving',
    leaveText: 'Unsaved changes are lost.',
    leave: 'Leave',
    copyHint:
      'Only one workflow can write from a source to an index. Choose another source or destination for the copy.',
    workflow: 'This workflow',
    workflowText: 'Choose a step to change its settings.',
    steps: 'Steps of the workflow',
    open: 'Settings',
    openInvalid: 'Settings, with errors',
    addAfter: (name: string) => `Add a step after ${name}`,
    remove: 'Remove',
    removeNamed: (name: string) => `Remove ${name}`,
    moveUp: (name: string) => `Move ${name} up`,
    moveDown: (name: string) => `Move ${name} down`,
    closePane: 'Close',
    chunkerNeeded: 'The embedder needs the chunker before it. Remove the embedder first.',
    partitionerNeeded: 'Every workflow starts with a partitioner.',
    notChosen: 'Not chosen yet',
    added: (name: string) => `${name} added.`,
    removed: (name: string) => `${name} removed.`,
    moved: (name: string, position: number) => `${name} moved to position ${position}.`,
    warnings: 'Allowed, but probably a mistake',
    chunksTooLong:
      'The embedder reads about 1,000 characters. Search finds the rest of longer chunks by words only, not by meaning.',
  },

  nodes: {
    source: { name: 'Source', about: 'Reads documents and their permissions.' },
    destination: { name: 'Destination', about: 'Writes elements with the permissions of their document.' },
    partition: {
      name: 'Partitioner',
      about: 'Turns a document into elements: titles, paragraphs, lists, tables.',
    },
    prompter: { name: 'Enrichment', about: 'Adds text to elements with a language model.' },
    chunk: { name: 'Chunker', about: 'Combines elements into chunks of a size that suits search.' },
    embed: { name: 'Embedder', about: 'Adds a vector to each chunk, for search by meaning.' },
  },
  node: {
    name: 'Name',
    subtype: 'Subtype',
    needsModel:
      'Enrichments need a model provider. The service operator sets MILLRACE_OPENAI_API_KEY or another key.',
    anyModel: 'MILLRACE_OPENAI_API_KEY or another key',
    unset: (kind: string, variables: string) => `${kind} (not configured: ${variables})`,
    subtypes: {
      auto: 'Auto: depends on the document',
      fast: 'Fast',
      hi_res: 'High resolution',
      chunk_by_title: 'By title: a chunk never spans two sections',
      chunk_by_character: 'By character: as long as the limit allows',
      chunk_by_page: 'By page: a chunk never spans two pages of a file',
      chunk_by_similarity: 'By similarity: neighbouring elements on the same subject',
      local: 'Built-in, on this server',
      vlm: 'Vision model for pictures, fast for the rest',
      ...providers,
      ...enrichments((provider, kind) => `${kind}: ${provider}`),
    } as Record<string, string>,
    short: {
      auto: 'Auto',
      fast: 'Fast',
      hi_res: 'High resolution',
      chunk_by_title: 'By title',
      chunk_by_character: 'By character',
      chunk_by_page: 'By page',
      chunk_by_similarity: 'By similarity',
      local: 'all-minilm-l6-v2',
      vlm: 'Vision model',
      ...providers,
      ...enrichments((_, kind) => kind),
    } as Record<string, string>,
    otherSettings: (names: string) => `Other settings from the API or YAML, which are kept: ${names}.`,
    missing: (title: string) => `${title} is required.`,
    notANumber: (title: string) => `${title} must be a number.`,
    settings: {
      exclude_elements: {
        title: 'Exclude',
        description: 'Element types that are not written.',
      },
      max_characters: {
        title: 'Maximum characters',
        description: 'No chunk is longer. The embedder reads about 1,000.',
      },
      new_after_n_chars: {
        title: 'New chunk after',
        description: 'A chunk with this many characters takes no further element.',
      },
      combine_text_under_n_chars: {
        title: 'Combine sections under',
        description:
          'A section shorter than this is combined with the next one. 0 keeps all sections separate.',
      },
      similarity_threshold: {
        title: 'Similarity threshold',
        description:
          'From 0.01 to 0.99. With a higher value, neighbouring elements must be more similar to share a chunk.',
      },
      overlap: {
        title: 'Overlap',
        description:
          'When an element is split, each part starts with this many characters of the part before.',
      },
      overlap_all: {
        title: 'Overlap between all chunks',
        description: 'Also between chunks of different elements.',
      },
      multipage_sections: {
        title: 'Sections across pages',
        description: 'In files, a section may continue on the next page.',
      },
      include_orig_elements: {
        title: 'Keep original elements',
        description: 'Each chunk also stores its original elements, which makes the index larger.',
      },
      remote_model_name: {
        title: 'Model',
        description: 'Leave empty for the provider’s default. The text of chunks is sent to the provider.',
      },
      dimensions: {
        title: 'Dimensions',
        description:
          'Lower than the model’s default, if the model supports it. Required for an unknown model.',
      },
      model: {
        title: 'Model',
        description: 'Leave empty for the default of this service. The content is sent to the provider.',
      },
      model_name: { title: 'Model', description: '384 dimensions. No text leaves this server.' },
    },
  },

  yaml: {
    label: 'Workflow YAML',
    help: 'Valid changes apply to the other views immediately. Save to keep them. Tab indents; press Escape and then Tab to leave the text.',
    valid: 'Valid.',
    download: 'Export',
    open: 'Import a file',
    copyWhat: 'the YAML',
    line: (line: number) => `Line ${line}`,
    problems: (count: number) => (count === 1 ? '1 line has an error:' : `${count} lines have errors:`),
    tooLarge: 'This file is larger than 100 KB, the limit for a workflow.',
    pending: {
      title: (problems: number) =>
        problems === 1 ? 'The YAML has an error in 1 line' : `The YAML has errors in ${problems} lines`,
      text: 'The other views show the workflow before your text. Correct the text, or discard it to go on here.',
      edit: 'Correct the YAML',
      discard: 'Discard the text',
    },
    alias: 'Aliases (*name) are not supported. Write out the value.',
    notMapping: 'A workflow must be a mapping with name: value lines.',
    unknownKey: (key: string, known: string) => `Unknown key “${key}”. Known keys: ${known}.`,
    text: (key: string) => `${key} must be text.`,
    flag: (key: string) => `${key} must be true or false.`,
    nodesList: 'nodes must be a list.',
    nodeMapping: 'A step needs a type and can have a subtype, a name and settings.',
    unknownType: (type: string) =>
      `Unknown step type “${type}”. Known types: partition, prompter, chunk, embed.`,
    settingsMapping: 'settings must be a mapping with name: value lines.',
    hours: (key: string) => `${key} must be a number above 0, or empty.`,
    unknownConnector: (kind: string, name: string) =>
      `There is no ${kind} named “${name}” in this workspace.`,
  },

  overview: {
    facts: 'Last and next run',
    lastRun: 'Last run',
    openRun: 'Open the run',
    nextRun: 'Next run',
    permissions: 'Oldest permissions',
    permissionsHelp: 'When they were last read completely',
    never: 'Not read yet',
    runs: {
      description: (runs: number) =>
        runs === 1 ? 'The only run so far.' : `The last ${runs} runs, oldest first.`,
      all: 'All runs',
      empty: 'This workflow has not run yet.',
      run: 'Run',
      documents: 'Documents by run',
      documentsLabel: (runs: number) =>
        `New, changed, removed and failed documents of ${counted(runs, 'run')}`,
      new: 'New',
      changed: 'Changed',
      removed: 'Removed',
      failed: 'Failed',
    },
  },

  estimate: {
    limited: 'A limit of the source leaves documents out. Raise it in the settings of the source.',
    documents: 'Documents',
    elements: 'Elements',
    time: 'Time',
    about: (value: string) => `About ${value}`,
    unknown: 'Unknown',
    lastRun: (documents: string) => `${documents} in the last run`,
    fromDocuments: (documents: string) => `From ${documents} documents in the index`,
    fromRuns: (runs: number) => (runs === 1 ? 'As the run before' : `Median of ${runs} runs before`),
  },

  permissions: {
    title: 'Permissions',
    description: (scope: string, hours: number | null) =>
      hours === null
        ? `When the permissions of each ${scope} were last read from the source. There is no maximum age.`
        : `When the permissions of each ${scope} were last read from the source. Search hides ${plural(scope)} whose permissions are older than ${counted(hours, 'hour')}.`,
    list: (scope: string) => `Permissions by ${scope}`,
    columns: { age: 'Last read', status: 'Status' },
    empty: 'No permissions read yet. The first run reads them.',
    paused: 'The workflow is paused, so its permissions are read only on request.',
    read: 'Read permissions now',
    whyNot: {
      role: 'Your role cannot read permissions.',
      reading: 'They are being read now.',
    },
    progress: (read: number, all: number, scope: string) =>
      `Permissions of ${count(read)} of ${counted(all, scope)} read.`,
    openRun: 'Open the run',
    outcome: (state: keyof typeof stateTexts) => `Reading permissions: ${stateTexts[state].toLowerCase()}.`,
    hiddenTitle: (scopes: number, scope: string) => `Search hides ${counted(scopes, scope)}`,
    hiddenText:
      'The permissions are too old or were never read completely, so no one finds these documents. Read permissions now. If this fails, open the run to see why, and test the connection of the source.',
  },

  preview: {
    readers: {
      title: 'Readers:',
      none: 'no one',
      more: (readers: number) => ` and ${count(readers)} more`,
    },
    openDocument: 'Readers, versions and history',
    about: 'Processes a document with the saved steps and shows the result of each. Nothing is written.',
    choice: 'Document to preview',
    first: 'First documents of the source',
    fromLastRun: 'Documents of the last run',
    start: 'Preview',
    again: 'Preview again',
    unsaved: 'The preview uses the saved steps. Save to see your changes.',
    notSaved: 'Save the workflow first. A preview uses the saved steps.',
    noSource: 'Choose a source and save first.',
    waiting: 'Reading and processing documents. This takes up to a minute.',
    none: 'The source has no documents.',
    document: 'Shown document',
    original: 'Original',
    originalLabel: (title: string) => `Document ${title} as read, without scripts and pictures`,
    noHtml: 'This document cannot be shown: it is not HTML, or it is too large.',
    openOriginal: (system: string) => `Open in the ${system}`,
    results: 'Result',
    after: (name: string) => `After ${name}`,
    counts: (shown: number, all: number, what: string) =>
      shown < all ? `The first ${shown} of ${all} ${what}` : `${all} ${what}`,
    elements: 'elements',
    chunks: 'chunks',
    vectors: (dims: number) => `Each chunk has a vector of ${dims} dimensions. The first one starts with:`,
    warnings: 'Warnings',
  },
}
