import { counted } from './nouns.ts'

const jobs = (number: number) => counted(number, 'job')

/** Actions on several jobs. */
export const bulkTexts = {
  label: 'Selected jobs',
  select: (job: string) => `Select ${job}`,
  column: 'Select',
  selected: (number: number) => `${jobs(number)} selected`,
  selectAll: (number: number) => `Select all ${jobs(number)} with failures or held-back removals`,
  clear: 'Clear selection',
  results: 'Results',
  failed: 'Not done',
  open: 'Open the new job',
  job: (workflow: string, at: string) => `${workflow}, ${at}`,
  retry: {
    action: (documents: number) =>
      documents === 0 ? 'Retry failed documents' : `Retry ${counted(documents, 'failed document')}`,
    title: (documents: number, number: number) =>
      `Retry ${counted(documents, 'failed document')} of ${jobs(number)}`,
    text: 'Each job gets a new job that processes only its failed documents. A workflow runs one job at a time, so a second job of the same workflow is refused.',
    documents: (documents: number) => counted(documents, 'failed document'),
    confirm: (documents: number) => `Retry ${counted(documents, 'document')}`,
    done: (_: number) => 'Retry started',
    resultTitle: (failures: number, all: number) =>
      failures === 0 ? `${jobs(all)} retried` : `${all - failures} of ${jobs(all)} retried`,
  },
  approve: {
    action: (documents: number) =>
      documents === 0 ? 'Approve removals' : `Approve removal of ${counted(documents, 'document')}`,
    title: (documents: number, number: number) =>
      `Remove ${counted(documents, 'document')} of ${jobs(number)} from the index`,
    text: 'All elements of these documents are removed from the index immediately. The sources do not change. Documents that a source lists again come back with the next run. Only the latest job of a workflow can be approved.',
    documents: (documents: number) => `${counted(documents, 'document')} held back`,
    confirm: (documents: number) => `Remove ${counted(documents, 'document')}`,
    done: (removed: number) => `${counted(removed, 'document')} removed`,
    resultTitle: (failures: number, all: number) =>
      failures === 0
        ? `Removals of ${jobs(all)} approved`
        : `Removals of ${all - failures} of ${jobs(all)} approved`,
  },
}
