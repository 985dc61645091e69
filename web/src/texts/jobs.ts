import { counted } from './nouns.ts'
import { count } from './times.ts'

/** People see runs; the API and its log call them jobs. */
export const jobsTexts = {
  title: 'Runs',
  description: 'Every run of a workflow, with its results and warnings.',
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
    from: 'From',
    until: 'Until',
    clear: 'Clear filters',
  },
  empty: {
    title: 'No runs yet',
    text: 'Run a workflow to see its result here.',
    action: 'Go to the workflows',
  },
  noneMatch: { title: 'No matching runs', text: 'No run matches these filters.' },
  notStarted: 'Waiting',
  heldBack: (documents: number) => `${count(documents)} held back`,
  /** Deleted people and keys have no name. */
  startedBy: {
    person: (name) => name ?? 'Former member',
    key: (name) => (name === null ? 'Deleted key' : `Key: ${name}`),
    schedule: () => 'Schedule',
    retry: (name) => (name === null ? 'Retry' : `Retry by ${name}`),
    unknown: () => 'Unknown',
  } satisfies Record<string, (name: string | null) => string>,
  open: (workflow: string, at: string) => `Run of ${workflow}, ${at}`,
}

export const jobTexts = {
  id: 'the run id',
  openWorkflow: 'Open the workflow',
  openDestination: 'Open the destination',
  uploadedFiles: 'Uploaded files',
  started: 'Started',
  by: {
    person: (name) => `by ${name ?? 'a former member'}`,
    key: (name) => (name === null ? 'by a deleted key' : `by the key “${name}”`),
    schedule: () => 'by schedule',
    retry: (name) => (name === null ? 'as a retry' : `as a retry by ${name}`),
    unknown: () => '',
  } satisfies Record<string, (name: string | null) => string>,
  took: (duration: string) => `took ${duration}`,
  running: (duration: string) => `running for ${duration}`,
  queued: 'waiting to start',
  live: 'Live',
  polling: 'Live, every 2 seconds',
  tabs: { label: 'Run details', overview: 'Overview', documents: 'Documents', log: 'Log' },
  permissions: {
    title: 'Permissions',
    text: 'This run reads permissions and writes changed ones to the index. It reads no text and counts no documents.',
    open: 'See when permissions were last read',
    cancelText: 'Permissions that were read stay. The others keep their age.',
  },
  verify: {
    title: 'Comparison',
    text: 'This run compares the index with what earlier runs wrote, or repairs the differences. It counts no documents.',
    cancelText: 'A new comparison begins from the start. Elements that a repair removed stay removed.',
  },
  progress: (done: number, all: number) => `${count(done)} of ${counted(all, 'document')} done`,
  ended: (state: string) => `Run ended: ${state}.`,
  cancel: {
    action: 'Stop run',
    title: 'Stop this run',
    text: (done: number) =>
      `It stops within seconds. ${done === 0 ? 'Nothing has been written yet.' : `${counted(done, 'processed document')} will stay in the index.`} Nothing is removed from the index. The next run processes the rest.`,
  },
  again: 'Run again',
  retry: (failed: number) => `Retry ${counted(failed, 'failed document')}`,
  failure: {
    connection: (name: string) => `Fix the connection of ${name}`,
    settings: (name: string) => `Open the settings of ${name}`,
  },
  approve: {
    banner: (documents: number) => `${counted(documents, 'document')} held back from removal`,
    text: (documents: number) =>
      `The source no longer lists ${counted(documents, 'document')} of the index. This is above the limit for automatic removal. Lost permissions and deleted documents look the same to Millrace. ${documents === 1 ? 'It is' : 'They are'} hidden from everyone until you approve the removal or the source lists ${documents === 1 ? 'it' : 'them'} again.`,
    checkFirst:
      'If you did not expect this, check the source first: a space may be archived, or the account may have lost permission to see it.',
    action: (documents: number) => `Approve removal of ${counted(documents, 'document')}`,
    title: (documents: number) => `Remove ${counted(documents, 'document')} from the index`,
    confirmText: (documents: number) =>
      `All elements of ${documents === 1 ? 'this document' : `these ${count(documents)} documents`} are removed from the index immediately. The source does not change. Documents that the source lists again come back with the next run.`,
    confirm: (documents: number) => `Remove ${counted(documents, 'document')}`,
    done: (removed: number) => `${counted(removed, 'document')} removed from the index.`,
  },
  needsOperator: 'Only operators, developers and administrators can do this. Your role here is',
  counts: {
    title: 'Documents',
    discovered: 'discovered',
    new: 'new',
    changed: 'changed',
    reprocessed: 'reprocessed',
    unchanged: 'unchanged',
    skipped: 'skipped',
    failed: 'failed',
    pending: (documents: number) => `${count(documents)} pending`,
    permissions_only: (documents: number) => `${count(documents)} with new permissions only`,
    removed: (documents: number) => `${count(documents)} removed`,
    none: 'No document was processed.',
    listing: 'The documents are being listed.',
    waiting: 'The first documents are being processed.',
    inconsistent: 'These numbers do not add up. This is a bug: please report it with the run id.',
  },
  steps: {
    title: 'Progress',
    list: 'Steps of the run',
    overall: { list: 'Listing', work: 'Processing', remove: 'Removing' } as Record<string, string>,
    soFar: (done: number) => `${count(done)} so far`,
    of: (done: number, all: number) => `${count(done)} of ${count(all)}`,
    failed: (documents: number) => `${count(documents)} failed`,
    bar: (step: string, done: number, all: number) => `${step}: ${done} of ${all} done`,
    rate: (documents: string) => `${documents} documents per second`,
    left: (time: string) => `about ${time} left`,
    times: 'Time per step',
    names: {
      list: 'Listing',
      read: 'Reading',
      partition: 'Partitioning',
      enrich: 'Enriching',
      chunk: 'Chunking',
      embed: 'Embedding',
      write: 'Writing',
    } as Record<string, string>,
    chart: 'Documents per second over the run',
    at: 'Time',
    documents: 'Documents per second',
  },
  warnings: {
    title: 'Warnings',
    failed: (documents: number) => `${counted(documents, 'document')} failed.`,
    fix: 'What to do:',
    open: {
      setting: 'Open the setting',
      source: 'Open the source',
      destination: 'Open the destination',
      workflow: 'Open the workflow',
      documents: 'Show these documents',
      document: 'Open the document',
      failed: 'Show failed documents',
      job: 'Open the run',
    },
  },
  documents: {
    list: 'Documents of the run',
    filters: 'Document filters',
    title: 'Document',
    state: 'State',
    error: 'Error',
    elements: 'Elements',
    updated: 'Updated',
    search: 'Title',
    searchExample: 'Part of a title',
    clear: 'Clear filters',
    ofState: (state: string, documents: number) => `${state} (${count(documents)})`,
    totals: (documents: number) => counted(documents, 'document'),
    matching: (documents: number) => counted(documents, 'matching document'),
    unchanged: (documents: number) =>
      `${counted(documents, 'unchanged document')} ${documents === 1 ? 'is' : 'are'} counted, not listed`,
    withWarning: (code: string) => `Only documents with the warning ${code.replaceAll('_', ' ')}`,
    anyState: 'Any state',
    anyError: 'Any error',
    scope: 'Space',
    anyScope: 'Any space',
    scopeName: (name: string, key: string) => (name && name !== key ? `${name} (${key})` : key),
    emptyTitle: 'No documents yet',
    emptyText: 'Documents appear here as soon as the source lists them.',
    noneTitle: 'No matching documents',
    noneText: 'No document of this run matches these filters.',
    download: (title: string) => `Download the elements of ${title}`,
    reprocessed: 'Reprocessed',
    notKept:
      'Results per document are kept for the last 20 runs of a workflow and for 30 days. This run has only its totals.',
  },
  differences: {
    since: 'Compare with',
    before: 'Only this run',
    list: 'Documents that differ',
    totals: (changes: [string, number][]) =>
      changes.map(([change, documents]) => `${count(documents)} ${change}`).join(', '),
    incomplete: 'The documents of a run in between are no longer kept, so some differences may be missing.',
    empty: 'No document differs.',
  },
  settings: {
    title: 'Settings of this run',
    retryOf: 'Retry of',
    openRun: 'an earlier run',
    source: 'Source',
    destination: 'Destination',
    local: { source: 'Uploaded files', destination: 'Download, kept for seven days' },
    deleted: 'Deleted',
    reprocess: 'Reprocess all',
    steps: 'Steps',
    yes: 'Yes',
    no: 'No',
  },
  log: {
    title: 'Log',
    description:
      'Start, end, settings, warnings and the result of every document except unchanged ones, newest first.',
    download: 'Download log',
    empty: 'The log is empty.',
    noneMatch: 'No line matches.',
    cut: (lines: number) => `The ${count(lines)} documents that ended last. The download has all lines.`,
    label: 'Log of the run',
    level: 'Level',
    levels: { info: 'All lines', warning: 'Warnings and errors', error: 'Errors' },
    levelNames: { info: 'Info', warning: 'Warning', error: 'Error' } as Record<string, string>,
    search: 'Text',
    searchExample: 'Part of a line',
    copy: 'the log',
    at: 'Time',
    line: 'Event',
    events: {
      start: 'Run started',
      settings: 'Steps',
      running: 'Running',
      end: 'Run ended',
    } as Record<string, string>,
    elements: (elements: number) => counted(elements, 'element'),
  },
  /** By warning code, where the message of the service uses names of its API. */
  said: {
    chunks_beyond_embedder: () =>
      'Chunks are longer than the embedder reads. It ignores the end of their text.',
    listing_broken: () => 'The listing failed. Documents that it did not reach were not removed.',
    swap_given_up: () => 'The run wrote to the index in use, because an earlier new index was not completed.',
  } as Record<string, (message: string) => string>,
  /** By warning code. */
  advice: {
    documents_hidden:
      'Nothing. The next run that can list them makes them visible again. If this keeps happening, check that the account may see their space.',
    file_too_large: 'Nothing, or make the files smaller in the source.',
    destination_full: 'Use a destination of your own, or remove documents from this one. Then run again.',
    removed_by_limit:
      'Raise the maximum number of documents per space in the source, then run again to bring them back.',
    listing_broken:
      'Run the workflow again. If it fails at the same place, test the connection of the source to see which step fails.',
    space_not_listed: 'Allow the account of the source to see this space, then run again.',
    spaces_left_out: 'Select the spaces you want in the source, or raise its maximum number of spaces.',
    documents_left_out: 'Raise the maximum number of documents per space in the source, then run again.',
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
    swap_given_up: 'To fill a new index again, change the workflow, or start a run that reprocesses all.',
    attachments_left: 'Attach these files directly to a page to index them.',
    archive_files_left: 'Attach these files outside of the archive, in a format that can be read.',
    pages_without_text: 'Choose auto or hi_res in the workflow’s partitioner to read scanned pages.',
    pictures_not_read: 'Nothing. The pages are indexed with the alternative texts of these pictures.',
    hi_res_of_pdfs: 'Nothing. Without PDFs and pictures, auto gives the same result.',
    macros_dropped:
      'Nothing. These macros show content of other pages or systems, which are indexed on their own.',
    names_missing:
      'Run again. If this keeps happening, check that the account of the source may see other people.',
    images_missing: 'Open one of the documents. The image was deleted, or the account may not read it.',
  } as Record<string, string>,
  /** The fix of an error whose message names the host or the space. */
  detailed: (_fix: string, message: string) => message,
  /** By code of the error catalogue. */
  errors: {
    source_unreachable: {
      name: 'The source cannot be reached',
      fix: 'Check its address and that the system is running, then run again.',
    },
    source_unauthorized: {
      name: 'The source rejected the credentials',
      fix: 'Enter valid credentials, then run again.',
    },
    source_forbidden: {
      name: 'Not allowed to read',
      fix: 'Allow the account of the source to see this, then run again.',
    },
    source_not_found: {
      name: 'Not found in the source',
      fix: 'Nothing if the document was deleted; the next run removes it.',
    },
    source_space_missing: {
      name: 'A selected space does not exist',
      fix: 'Select the spaces again, then run again.',
    },
    source_filter_wrong: {
      name: 'The source rejected the filter',
      fix: 'Correct the filter of the source, then run again.',
    },
    source_misread: {
      name: 'The source sent an unexpected response',
      fix: 'Run again. If this keeps happening, report it with the run id.',
    },
    source_not_a_wiki: {
      name: 'The address belongs to another kind of system',
      fix: 'Correct the address of the source, then run again.',
    },
    source_answer_too_long: {
      name: 'Response too long',
      fix: 'The document is larger than Millrace can read. Split it in the source.',
    },
    source_failed: {
      name: 'The source failed',
      fix: 'Run again. If this keeps happening, ask the administrators of the source system to check its log.',
    },
    other_site: {
      name: 'The source now shows another site',
      fix: 'Correct the address of the source, or create a new source for the other site.',
    },
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
    worker_stopped: {
      name: 'Processing it stopped a worker',
      fix: 'Split the document or save it as another file type, then retry.',
    },
    embedder_failed: {
      name: 'Embedding failed',
      fix: 'Check the embedder of the workflow, then run again.',
    },
    model_failed: {
      name: 'The model failed',
      fix: 'Run again. If this keeps happening, check the model of the workflow.',
    },
    model_unauthorized: {
      name: 'The model rejected the credentials',
      fix: 'Ask the service operator to check the credentials of the model provider.',
    },
    model_tokens_used_up: {
      name: 'The model tokens of today are used up',
      fix: 'Retry tomorrow, or ask the service operator for more.',
    },
    destination_unreachable: {
      name: 'The destination cannot be reached',
      fix: 'Check its address and that the system is running, then run again.',
    },
    destination_unauthorized: {
      name: 'The destination rejected the credentials',
      fix: 'Enter credentials that may write to the index, then run again.',
    },
    destination_index_missing: {
      name: 'The index does not exist',
      fix: 'Create the index on the screen of the destination, then run again.',
    },
    destination_schema: {
      name: 'The fields of the index do not fit',
      fix: 'Test the connection of the destination: it names the fields. Or write to a new index.',
    },
    destination_overloaded: {
      name: 'The destination is overloaded',
      fix: 'Run again later. The run continues where this one ended.',
    },
    destination_read_only: {
      name: 'The destination accepts no changes',
      fix: 'Make the index writable, often by freeing disk space, then run again.',
    },
    destination_rejected: {
      name: 'Rejected by the destination',
      fix: 'Test the connection of the destination, then retry.',
    },
    destination_full: {
      name: 'The destination is full',
      fix: 'Use a destination of your own, or remove documents from this one. Then run again.',
    },
    index_taken: {
      name: 'Another workflow writes this source into the index',
      fix: 'Use another index, or delete the other workflow.',
    },
    egress_refused: {
      name: 'The service may not connect to this address',
      fix: 'Correct the address, or ask the service operator to allow it.',
    },
    secret_unreadable: {
      name: 'A stored secret cannot be read',
      fix: 'Enter the credentials of the connectors again, then run again.',
    },
    settings_changed: {
      name: 'The settings changed during the run',
      fix: 'Run again. The next run uses the new settings.',
    },
    workflow_deleted: { name: 'The workflow was deleted', fix: 'Nothing.' },
    service_closing: {
      name: 'The service was stopped',
      fix: 'Run again. The run continues where this one ended.',
    },
    cancelled: {
      name: 'Run stopped',
      fix: 'Run the workflow again. It continues where this run stopped.',
    },
    taken_over: {
      name: 'Written by another run',
      fix: 'Retry when no other run writes to the same index.',
    },
    internal: {
      name: 'Unexpected error',
      fix: 'Run again. If this keeps happening, ask the service operator to search the log for the run id.',
    },
  } as Record<string, { name: string; fix: string }>,
}
