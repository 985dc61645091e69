const plural = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

/** Every word of the list of jobs and of one job's screen. */
export const jobsTexts = {
  title: 'Jobs',
  description: 'Every run of a workflow: what it found, what became of it, and what it could not do.',
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
    title: 'No job has run yet',
    text: 'A job is one run of a workflow. Run one, and it appears here with everything it did.',
    action: 'Go to the workflows',
  },
  noneMatch: { title: 'No job matches', text: 'Other jobs are there, but none with these filters.' },
  notStarted: 'Waits its turn',
  heldBack: (documents: number) => `${documents.toLocaleString('en')} held back`,
  /** Somebody or a key that is gone has no name any more. */
  startedBy: {
    person: (name) => name ?? 'Somebody who left',
    key: (name) => (name === null ? 'A key that is gone' : `Key: ${name}`),
    schedule: () => 'Schedule',
    retry: (name) => (name === null ? 'Retry' : `Retry by ${name}`),
    unknown: () => 'Unknown',
  } satisfies Record<string, (name: string | null) => string>,
  open: (workflow: string, at: string) => `Job of ${workflow}, ${at}`,
}

/** One job. */
export const jobTexts = {
  jobs: 'Jobs',
  id: 'the job id',
  openWorkflow: 'Open the workflow',
  onDemand: 'Of files that came with it',
  started: 'Started',
  took: (duration: string) => `took ${duration}`,
  runs: (duration: string) => `running for ${duration}`,
  waits: 'waits its turn',
  by: {
    person: (name) => `by ${name ?? 'somebody who left'}`,
    key: (name) => (name === null ? 'by a key that is gone' : `by the key “${name}”`),
    schedule: () => 'by its schedule',
    retry: (name) => (name === null ? 'as a retry' : `as a retry by ${name}`),
    unknown: () => '',
  } satisfies Record<string, (name: string | null) => string>,
  live: 'Live',
  polling: 'Live, every 2 seconds',
  tabs: {
    label: 'Parts of this job',
    overview: 'Overview',
    documents: 'Documents',
    configuration: 'Configuration',
    log: 'Log',
  },
  progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${plural(all, 'document')} done`,
  ended: (state: string) => `The job has ended: ${state}.`,
  cancel: {
    action: 'Cancel job',
    title: 'Stop this job',
    text: (done: number) =>
      `It stops within seconds. ${done === 0 ? 'Nothing has been written yet.' : `What became of ${plural(done, 'document')} stays in the index, whole.`} Nothing is removed from the index. The next run takes up the rest.`,
    confirm: 'Stop job',
    done: 'The job is stopping.',
  },
  retry: {
    action: (failed: number) => `Retry ${plural(failed, 'failed document')}`,
    done: 'A new job tries the failed documents again.',
  },
  approve: {
    banner: (documents: number) => `${plural(documents, 'document')} held back from removal`,
    text: (documents: number) =>
      `The wiki no longer lists ${documents === 1 ? 'a document that is' : `${documents.toLocaleString('en')} documents that are`} in the index. That is more than may leave at once unasked: a mistake in the wiki's rights looks the same as pages that were deleted. They are hidden from everyone until you decide, or until the wiki lists them again.`,
    look: 'If you did not expect this, look into the wiki first: is a space archived, or has the account lost its right to see it?',
    action: (documents: number) => `Approve removing ${plural(documents, 'document')}`,
    title: (documents: number) => `Remove ${plural(documents, 'document')} from the index`,
    confirmText: (documents: number) =>
      `All elements of ${documents === 1 ? 'this document' : `these ${documents.toLocaleString('en')} documents`} leave the index at once. The wiki is not touched. What the wiki lists again later comes back with the next run.`,
    confirm: (documents: number) => `Remove ${plural(documents, 'document')}`,
    done: (removed: number) => `${plural(removed, 'document')} removed from the index.`,
  },
  needsOperator: 'Operators and above may do this. Your role here is',
  equation: {
    title: 'What became of the documents',
    discovered: 'discovered',
    new: 'new',
    changed: 'changed',
    unchanged: 'unchanged',
    skipped: 'skipped',
    failed: 'failed',
    removed: (documents: number) => `${documents.toLocaleString('en')} removed`,
    removedHelp: 'left the wiki, and so the index; not part of the sum',
    permissions: (documents: number) => `${documents.toLocaleString('en')} permissions only`,
    permissionsHelp: 'part of changed: new rights, same text, nothing embedded again',
    undecided: (documents: number) => `${documents.toLocaleString('en')} on their way`,
    undecidedHelp: 'found, not yet decided',
    help: {
      new: 'Not in the index before.',
      changed: 'Their text or their rights are not what they were.',
      unchanged: 'Already in the index as they are; nothing was written.',
      skipped: 'Left out for what they are, or because the job was stopped first.',
      failed: 'Could not be carried over. The rest of the run is not affected.',
    },
    wrong:
      'These numbers do not add up. That must not happen: please report it with the job id, and look at the documents one by one.',
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
    steps: { list: 'Listing', work: 'Working', remove: 'Removing' } as Record<string, string>,
    soFar: (done: number) => `${done.toLocaleString('en')} so far`,
    of: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    bar: (stage: string, done: number, all: number) => `${stage}: ${done} of ${all} done`,
  },
  pace: {
    rate: 'Documents/s, last 30 s',
    average: 'Documents/s on average',
    elements: 'Elements/s',
    estimate: 'Time left, about',
    elapsed: 'Time',
    unknown: '–',
  },
  throughput: {
    title: 'Throughput',
    description: 'Documents worked per second. What is unchanged is only looked at, and not counted here.',
    label: (average: string, peak: string) =>
      `Documents worked per second over the run: ${average} on average, ${peak} at most.`,
    at: 'Time',
    start: 'Start',
    rate: 'Documents/s',
    none: 'The plot begins with the first documents.',
    short: 'The run was too short for a plot.',
  },
  warnings: {
    title: 'Warnings',
    none: 'This job has nothing to warn about.',
    documents: (documents: number) => plural(documents, 'document'),
    todo: 'What to do:',
  },
  documents: {
    list: 'Documents of the job',
    filters: 'Filters of the documents',
    title: 'Document',
    state: 'State',
    error: 'Error',
    elements: 'Elements',
    attempts: 'Tries',
    updated: 'Updated',
    filterState: 'State',
    anyState: 'Any state',
    filterError: 'Error',
    anyError: 'Any error',
    filterSpace: 'Space key',
    spaceExample: 'ENG',
    emptyTitle: 'No documents yet',
    emptyText: 'Documents appear here as soon as the wiki lists them.',
    noneTitle: 'No document matches',
    noneText: 'The job has documents, but none with these filters.',
    untitled: 'Without a title',
    forgotten:
      'What became of each document is kept for the last 20 runs of a workflow, and for 30 days. Of this run the numbers are left.',
  },
  drawer: {
    open: 'Open in the wiki',
    record: 'Record id',
    copyRecord: 'the record id',
    state: 'State',
    elements: 'Elements in the index',
    attempts: 'Tries',
    updated: 'Updated',
    error: 'Why it failed',
    skipped: 'Why it was left out',
    fix: 'What to do',
    warnings: 'What could not be taken along',
    download: 'Download its elements',
    history: 'History',
    historyText: 'What became of this document in every run of this workflow.',
    historyList: 'History of the document',
    thisRun: 'This run',
    elementsOf: (elements: string) => `${elements} elements`,
    noHistory: 'No other run has met this document.',
  },
  configuration: {
    snapshot: 'As it was when the job started. Changes to the workflow since then do not show here.',
    retryOf: 'Tries again what failed in',
    connection: 'From where to where',
    local: { source: 'Files that came with the run', destination: 'Kept for seven days, to be downloaded' },
    source: 'Source',
    destination: 'Destination',
    gone: 'not there any more',
    reprocess: 'Reprocess all',
    yes: 'Yes: every document is worked again',
    no: 'No: only what changed',
    nodes: 'Nodes, in the order of work',
    standard: 'Standard settings',
  },
  log: {
    title: 'Log',
    description:
      'Start and end, settings, warnings, and what became of every document that was not unchanged.',
    download: 'Download the log',
    empty: 'Nothing has been written down yet.',
    cut: (lines: number) => `The last ${lines.toLocaleString('en')} lines. The download has all of them.`,
    label: 'Log of the job',
  },
  /** What to do about a warning, by its code. */
  advice: {
    deletions_held_back: 'Look into the wiki whether these pages are really gone, then approve above.',
    documents_hidden:
      'Nothing: they come back into sight with the first run that can list them. If it stays, check that the account may see their space.',
    removed_by_limit:
      'Raise the source’s maximum of documents from each space, and run again to bring them back.',
    listing_broken:
      'Run the workflow again. If it breaks at the same place, test the connection of the source: it says which step fails.',
    space_not_listed: 'Give the account of the source the right to see this space, then run again.',
    spaces_left_out: 'Name the spaces you want in the source, or raise its maximum number of spaces.',
    documents_left_out: 'Raise the source’s maximum of documents from each space, then run again.',
    access_class_unknown:
      'Grant the permission to a group in the wiki, or update Millrace. Until then this class grants nothing.',
    ancestors_assumed:
      'Make the account of the source a Confluence administrator, so that folders can be checked. Or decide with “Pages below unproved folders” in the source.',
    permissions_unproved:
      'Give the account of the source the right to read restrictions and groups. Until then nobody is granted what could not be proved.',
    files_not_listed:
      'Run again. If it stays, open one of these pages in the wiki and look at its attachments.',
    chunks_beyond_embedder:
      'Set the chunker’s maximum to 1,000 characters or less in the workflow. The next run then works everything again.',
    attachments_left: 'Attach these files to a page themselves if they should be found.',
    pages_without_text:
      'Choose auto or hi_res in the workflow’s partitioner to read pages that are pictures.',
    hi_res_of_pdfs: 'Nothing. Where the wiki has no PDFs and pictures, auto does the same.',
    macros_dropped:
      'Nothing. These macros show other pages or systems, which are found by themselves where they are indexed.',
    names_missing: 'Run again. If it stays, look whether the account of the source may see other people.',
    images_missing: 'Open one of the pages: the image is gone from the wiki, or the account may not read it.',
  } as Record<string, string>,
  /** What an error of a document is called, and what to do about it; the job's own words say the rest. */
  errors: {
    document_broken: {
      name: 'Broken file',
      fix: 'Open it in the wiki. If it opens there, save it again and retry.',
    },
    document_too_large: { name: 'Too large', fix: 'Split the page or the file in the wiki, then retry.' },
    file_too_large: {
      name: 'File too large',
      fix: 'It is left out until the file changes. Make it smaller in the wiki if it should be found.',
    },
    document_unsupported: {
      name: 'Unsupported kind of file',
      fix: 'It is left out. Nothing can be done about it short of saving it as another kind.',
    },
    document_gone: { name: 'Gone meanwhile', fix: 'Nothing: it left the wiki between listing and reading.' },
    source_forbidden: {
      name: 'Not allowed to read',
      fix: 'Give the account of the source the right to see this page, then retry.',
    },
    source_not_found: {
      name: 'Not found in the wiki',
      fix: 'Nothing, if the page was deleted; the next run removes it.',
    },
    source_failed: {
      name: 'The wiki failed',
      fix: 'Retry. If it stays, the wiki’s administrators find the reason in its log.',
    },
    source_misread: { name: 'Unexpected answer', fix: 'Retry. If it stays, report it with the job id.' },
    source_answer_too_long: {
      name: 'Answer too long',
      fix: 'The page is larger than Millrace reads. Split it in the wiki.',
    },
    embedder_failed: {
      name: 'Embedding failed',
      fix: 'Check the embedder’s settings in the workflow, then retry.',
    },
    destination_rejected: {
      name: 'Refused by the index',
      fix: 'The index does not take this document; its reason is above. Check the mapping of the index, then retry.',
    },
    cancelled: {
      name: 'Stopped first',
      fix: 'Run the workflow again: it goes on where this job was stopped.',
    },
    internal: {
      name: 'Unexpected error',
      fix: 'Retry. If it stays, look for the job id in the service’s log.',
    },
  } as Record<string, { name: string; fix: string }>,
}
