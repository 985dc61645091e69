import { capitalized, type Terms } from './nouns.ts'

const plural = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

export const jobsTexts = {
  title: 'Jobs',
  description: 'Every run of a workflow, with its results and warnings.',
  list: 'Jobs',
  columns: {
    workflow: 'Workflow',
    state: 'State',
    started: 'Started',
    runtime: 'Runtime',
    documents: 'Documents',
    failed: 'Failed',
    by: 'Started by',
  },
  filters: {
    label: 'Filters',
    status: 'State',
    anyStatus: 'Any state',
    workflow: 'Workflow',
    anyWorkflow: 'Any workflow',
    clear: 'Clear filters',
  },
  empty: {
    title: 'No jobs yet',
    text: 'A job is one run of a workflow. Run a workflow to see its job here.',
    action: 'Go to the workflows',
  },
  noneMatch: { title: 'No matching jobs', text: 'No job matches these filters.' },
  notStarted: 'Queued',
  heldBack: (documents: number) => `${documents.toLocaleString('en')} held back`,
  /** Deleted people and keys have no name. */
  startedBy: {
    person: (name) => name ?? 'Former member',
    key: (name) => (name === null ? 'Deleted key' : `Key: ${name}`),
    schedule: () => 'Schedule',
    retry: (name) => (name === null ? 'Retry' : `Retry by ${name}`),
    unknown: () => 'Unknown',
  } satisfies Record<string, (name: string | null) => string>,
  open: (workflow: string, at: string) => `Job of ${workflow}, ${at}`,
}

export const jobTexts = {
  jobs: 'Jobs',
  id: 'the job id',
  openWorkflow: 'Open the workflow',
  onDemand: 'Uploaded files',
  started: 'Started',
  took: (duration: string) => `took ${duration}`,
  runs: (duration: string) => `running for ${duration}`,
  waits: 'queued',
  by: {
    person: (name) => `by ${name ?? 'a former member'}`,
    key: (name) => (name === null ? 'by a deleted key' : `by the key “${name}”`),
    schedule: () => 'by schedule',
    retry: (name) => (name === null ? 'as a retry' : `as a retry by ${name}`),
    unknown: () => '',
  } satisfies Record<string, (name: string | null) => string>,
  live: 'Live',
  polling: 'Live, every 2 seconds',
  tabs: {
    label: 'Job details',
    overview: 'Overview',
    documents: 'Documents',
    configuration: 'Configuration',
    log: 'Log',
  },
  progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${plural(all, 'document')} done`,
  ended: (state: string) => `Job ended: ${state}.`,
  cancel: {
    action: 'Cancel job',
    title: 'Stop this job',
    text: (done: number) =>
      `It stops within seconds. ${done === 0 ? 'Nothing has been written yet.' : `${plural(done, 'processed document')} will stay in the index.`} Nothing is removed from the index. The next run processes the rest.`,
    confirm: 'Stop job',
    done: 'Job stopping.',
  },
  retry: {
    action: (failed: number) => `Retry ${plural(failed, 'failed document')}`,
    done: 'Retry started as a new job.',
  },
  approve: {
    banner: (documents: number) => `${plural(documents, 'document')} held back from removal`,
    text: (documents: number) =>
      `The source no longer lists ${plural(documents, 'document')} of the index. This is above the limit for automatic removal, because lost permissions look the same as deleted documents. ${documents === 1 ? 'It is' : 'They are'} hidden from everyone until you approve the removal or the source lists ${documents === 1 ? 'it' : 'them'} again.`,
    look: ({ system, scope }: Terms) =>
      `If you did not expect this, check the ${system} first: a ${scope} may be archived, or the account may have lost permission to see it.`,
    action: (documents: number) => `Approve removal of ${plural(documents, 'document')}`,
    title: (documents: number) => `Remove ${plural(documents, 'document')} from the index`,
    confirmText: (documents: number) =>
      `All elements of ${documents === 1 ? 'this document' : `these ${documents.toLocaleString('en')} documents`} are removed from the index immediately. The source does not change. Documents that the source lists again come back with the next run.`,
    confirm: (documents: number) => `Remove ${plural(documents, 'document')}`,
    done: (removed: number) => `${plural(removed, 'document')} removed from the index.`,
  },
  needsOperator: 'Operators, developers and administrators can do this. Your role here is',
  equation: {
    title: 'Documents',
    discovered: 'discovered',
    new: 'new',
    changed: 'changed',
    unchanged: 'unchanged',
    skipped: 'skipped',
    failed: 'failed',
    removed: (documents: number) => `${documents.toLocaleString('en')} removed`,
    removedHelp: 'no longer in the source; not part of the sum',
    permissions: (documents: number) => `${documents.toLocaleString('en')} permissions only`,
    permissionsHelp: 'part of changed: new permissions, same text, not embedded again',
    undecided: (documents: number) => `${documents.toLocaleString('en')} pending`,
    undecidedHelp: 'found, not yet processed',
    help: {
      new: 'Not in the index before.',
      changed: 'Text or permissions changed.',
      unchanged: 'Already up to date in the index; nothing was written.',
      skipped: 'Not supported, or not reached before the job stopped.',
      failed: 'Could not be processed. Other documents are not affected.',
    },
    wrong: 'These numbers do not add up. This is a bug: please report it with the job id.',
  },
  stages: {
    title: 'Stages',
    list: 'Stages of the job',
    stage: 'Stage',
    progress: 'Progress',
    ready: 'Waiting',
    working: 'In progress',
    done: 'Done',
    failed: 'Failed',
    steps: { list: 'Listing', work: 'Processing', remove: 'Removing' } as Record<string, string>,
    soFar: (done: number) => `${done.toLocaleString('en')} so far`,
    of: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    bar: (stage: string, done: number, all: number) => `${stage}: ${done} of ${all} done`,
  },
  pace: {
    rate: 'Documents/s, last 30 s',
    average: 'Documents/s, average',
    elements: 'Elements/s',
    estimate: 'Estimated time left',
    elapsed: 'Time',
    unknown: '–',
  },
  throughput: {
    title: 'Throughput',
    description: 'Documents processed per second, without unchanged ones.',
    label: (average: string, peak: string) =>
      `Documents processed per second over the run: ${average} on average, ${peak} at most.`,
    at: 'Time',
    start: 'Start',
    rate: 'Documents/s',
    none: 'The plot starts with the first documents.',
    short: 'The run was too short for a plot.',
  },
  warnings: {
    title: 'Warnings',
    none: 'No warnings.',
    documents: (documents: number) => plural(documents, 'document'),
    todo: 'What to do:',
  },
  documents: {
    list: 'Documents of the job',
    filters: 'Document filters',
    title: 'Document',
    state: 'State',
    error: 'Error',
    elements: 'Elements',
    attempts: 'Attempts',
    updated: 'Updated',
    filterState: 'State',
    anyState: 'Any state',
    filterError: 'Error',
    anyError: 'Any error',
    filterScope: (scope: string) => `${capitalized(scope)} key`,
    scopeExample: 'ENG',
    emptyTitle: 'No documents yet',
    emptyText: (system: string) => `Documents appear here as soon as the ${system} lists them.`,
    noneTitle: 'No matching documents',
    noneText: 'No document of this job matches these filters.',
    untitled: 'Untitled',
    forgotten:
      'Results per document are kept for the last 20 runs of a workflow and for 30 days. This run has only its totals.',
  },
  drawer: {
    open: (system: string) => `Open in the ${system}`,
    record: 'Record id',
    copyRecord: 'the record id',
    state: 'State',
    elements: 'Elements in the index',
    attempts: 'Attempts',
    updated: 'Updated',
    error: 'Why it failed',
    skipped: 'Why it was skipped',
    fix: 'What to do',
    warnings: 'Warnings',
    download: 'Download elements',
    history: 'History',
    historyText: 'Results of this document in every run of this workflow.',
    historyList: 'History of the document',
    thisRun: 'This run',
    elementsOf: (elements: string) => `${elements} elements`,
    noHistory: 'No other run includes this document.',
  },
  configuration: {
    snapshot: 'The settings when the job started. Later changes to the workflow are not shown.',
    retryOf: 'Retry of',
    connection: 'Connectors',
    local: { source: 'Uploaded files', destination: 'Download, kept for seven days' },
    source: 'Source',
    destination: 'Destination',
    gone: 'deleted',
    reprocess: 'Reprocess all',
    yes: 'Yes: every document is processed again',
    no: 'No: only changed documents',
    nodes: 'Nodes, in order',
    standard: 'Default settings',
  },
  log: {
    title: 'Log',
    description: 'Start, end, settings, warnings and the result of every document except unchanged ones.',
    download: 'Download log',
    empty: 'The log is empty.',
    cut: (lines: number) => `The last ${lines.toLocaleString('en')} lines. The download has all lines.`,
    label: 'Log of the job',
  },
  /** Advice by warning code. */
  advice: {
    deletions_held_back:
      'Check in the source that these documents were deleted, then approve the removal above.',
    documents_hidden:
      'Nothing. The next run that can list them makes them visible again. If this keeps happening, check that the account may see their scope.',
    removed_by_limit:
      'Raise the maximum number of documents per scope in the source, then run again to bring them back.',
    listing_broken:
      'Run the workflow again. If it fails at the same place, test the connection of the source to see which step fails.',
    space_not_listed: 'Allow the account of the source to see this scope, then run again.',
    spaces_left_out: 'Select the scopes you want in the source, or raise its maximum number of scopes.',
    documents_left_out: 'Raise the maximum number of documents per scope in the source, then run again.',
    access_class_unknown:
      'Grant the permission to a group in the source, or update Millrace. Until then this class grants no access.',
    ancestors_assumed:
      'Make the account an administrator of the source system, so that folders can be checked. Or choose a setting for pages below unproved folders in the source.',
    permissions_unproved:
      'Allow the account of the source to read restrictions and groups. Until then unproved permissions grant no access.',
    files_not_listed:
      'Run again. If this keeps happening, open one of these documents in the source and check its attachments.',
    chunks_beyond_embedder:
      'Set the chunker’s maximum to 1,000 characters or less in the workflow. The next run then processes every document again.',
    attachments_left: 'Attach these files directly to a page to index them.',
    pages_without_text: 'Choose auto or hi_res in the workflow’s partitioner to read scanned pages.',
    hi_res_of_pdfs: 'Nothing. Without PDFs and pictures, auto gives the same result.',
    macros_dropped:
      'Nothing. These macros show content of other pages or systems, which are indexed on their own.',
    names_missing:
      'Run again. If this keeps happening, check that the account of the source may see other people.',
    images_missing: 'Open one of the documents. The image was deleted, or the account may not read it.',
  } as Record<string, string>,
  /** Name and advice by error code; the message has the details. */
  errors: {
    document_broken: {
      name: 'Broken file',
      fix: 'Open it in the source. If it opens there, save it again and retry.',
    },
    document_too_large: { name: 'Too large', fix: 'Split the document in the source, then retry.' },
    file_too_large: {
      name: 'File too large',
      fix: 'It is skipped until the file changes. Make it smaller in the source to index it.',
    },
    document_unsupported: {
      name: 'Unsupported file type',
      fix: 'It is skipped. Save it as another file type to index it.',
    },
    document_gone: {
      name: 'Deleted during the run',
      fix: 'Nothing. It was deleted between listing and reading.',
    },
    source_forbidden: {
      name: 'Not allowed to read',
      fix: 'Allow the account of the source to see this document, then retry.',
    },
    source_not_found: {
      name: 'Not found in the source',
      fix: 'Nothing if the document was deleted; the next run removes it.',
    },
    source_failed: {
      name: 'The source failed',
      fix: 'Retry. If this keeps happening, ask the administrators of the source system to check its log.',
    },
    source_misread: {
      name: 'Unexpected response',
      fix: 'Retry. If this keeps happening, report it with the job id.',
    },
    source_answer_too_long: {
      name: 'Response too long',
      fix: 'The document is larger than Millrace can read. Split it in the source.',
    },
    embedder_failed: {
      name: 'Embedding failed',
      fix: 'Check the embedder’s settings in the workflow, then retry.',
    },
    destination_rejected: {
      name: 'Rejected by the index',
      fix: 'The reason is above. Check the mapping of the index, then retry.',
    },
    cancelled: {
      name: 'Job stopped',
      fix: 'Run the workflow again. It continues where this job stopped.',
    },
    internal: {
      name: 'Unexpected error',
      fix: 'Retry. If this keeps happening, search the service log for the job id.',
    },
  } as Record<string, { name: string; fix: string }>,
}
