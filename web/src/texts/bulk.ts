import { counted } from './nouns.ts'

const runs = (number: number) => counted(number, 'run')

/** Actions on several runs. */
export const bulkTexts = {
  label: 'Selected runs',
  select: (run: string) => `Select ${run}`,
  column: 'Select',
  selected: (number: number) => `${runs(number)} selected`,
  selectAll: (number: number) => `Select all ${runs(number)} with failures or held-back removals`,
  clear: 'Clear selection',
  results: 'Results',
  failed: 'Not done',
  isRunning: 'The workflow is already running. Retry after its run.',
  open: 'Open the new run',
  run: (workflow: string, at: string) => `${workflow}, ${at}`,
  retry: {
    action: (documents: number) => `Retry ${counted(documents, 'failed document')}`,
    title: (documents: number, number: number) =>
      `Retry ${counted(documents, 'failed document')} of ${runs(number)}`,
    text: 'Each run gets a new run that processes only its failed documents. A workflow runs once at a time, so a second run of the same workflow is refused.',
    confirm: (documents: number) => `Retry ${counted(documents, 'document')}`,
    done: (_: number) => 'Retry started',
  },
  approve: {
    action: (documents: number) => `Approve removal of ${counted(documents, 'document')}`,
    title: (documents: number, number: number) =>
      `Remove ${counted(documents, 'document')} of ${runs(number)} from the index`,
    text: 'All elements of these documents are removed from the index immediately. The sources do not change. Documents that a source lists again come back with the next run. Only the latest run of a workflow can be approved.',
    confirm: (documents: number) => `Remove ${counted(documents, 'document')}`,
    done: (removed: number) => `${counted(removed, 'document')} removed`,
  },
}
