import type { z } from 'zod'
import type { Warning } from '../../../report.ts'
import type { JobRow } from '../../../store/jobs/jobs.ts'
import type { warningShape } from '../../shapes/resources.ts'

type JobWarning = z.infer<typeof warningShape>
type Subject = JobWarning['subject']

/** A warning of a job with a link to what it is about. */
export function toWarning(warning: Warning, job: JobRow): JobWarning {
  const { code, message, documents } = warning
  const field = settingOf(warning, job)
  const { source_id: sourceId } = job.settings
  const subject: Subject = field && sourceId ? { kind: 'setting', id: sourceId, field } : subjectOf(code, job)
  return { code, message, ...(documents === undefined ? {} : { documents }), subject }
}

function settingOf({ code, setting, limit }: Warning, { warnings }: JobRow): string | null {
  // Removed because of the limit that another warning names.
  const cause = code === 'removed_by_limit' ? warnings.find((each) => each.limit?.scope)?.limit : limit
  return cause?.setting ?? setting ?? null
}

/** What to change after a failed job; null where only another run helps. */
export function subjectOfError(code: string, job: JobRow): Subject {
  return about[code] ? subjectOf(code, job) : null
}

/** By the code of a warning or of the error of a job. */
const about: Record<string, 'source' | 'destination' | 'workflow' | 'nodes' | 'job'> = {
  documents_left_out: 'source',
  spaces_left_out: 'source',
  removed_by_limit: 'source',
  space_not_listed: 'source',
  listing_broken: 'source',
  files_not_listed: 'source',
  permissions_unproved: 'source',
  access_class_unknown: 'source',
  source_misread: 'source',
  source_unreachable: 'source',
  source_unauthorized: 'source',
  source_forbidden: 'source',
  source_space_missing: 'source',
  source_filter_wrong: 'source',
  source_not_a_wiki: 'source',
  source_failed: 'source',
  destination_unreachable: 'destination',
  destination_unauthorized: 'destination',
  destination_index_missing: 'destination',
  destination_schema: 'destination',
  destination_overloaded: 'destination',
  destination_read_only: 'destination',
  index_taken: 'destination',
  embedder_failed: 'nodes',
  model_failed: 'nodes',
  model_unauthorized: 'nodes',
  index_missing: 'destination',
  index_swapped: 'destination',
  ledger_behind_index: 'destination',
  permissions_not_written: 'destination',
  swap_given_up: 'workflow',
  swap_not_done: 'workflow',
  chunks_beyond_embedder: 'nodes',
  hi_res_of_pdfs: 'nodes',
  deletions_held_back: 'job',
  documents_hidden: 'job',
}

function subjectOf(code: string, { id, workflow_id: workflowId, settings: used }: JobRow): Subject {
  switch (about[code]) {
    case 'source':
      return used.source_id ? { kind: 'source', id: used.source_id, field: null } : null
    case 'destination':
      return used.destination_id ? { kind: 'destination', id: used.destination_id, field: null } : null
    case 'workflow':
      return { kind: 'workflow', id: workflowId, field: null }
    case 'nodes':
      return { kind: 'workflow', id: workflowId, field: 'workflow_nodes' }
    case 'job':
      return { kind: 'job', id, field: null }
    default:
      // Other warnings are counted from documents that have them.
      return { kind: 'documents', id, field: code }
  }
}
