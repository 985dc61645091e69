import { fixOf } from '../../../error-guide.ts'
import type { Database } from '../../../store/database.ts'
import {
  type DocumentInWorkflow,
  findInWorkflows,
  type LastFailure,
  lastFailures,
} from '../../../store/ledger/known-documents.ts'
import { readWorkflowIn, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import type { DocumentOverview, WorkflowDocument } from '../../shapes/document.ts'
import { permissionSummary } from './permission-summary.ts'

type DocumentQuery = { workspaceId: string; recordId: string }

/** What the ledgers of a workspace know about a document; null if none knows it. */
export async function documentOverview(
  db: Database,
  { workspaceId, recordId }: DocumentQuery,
): Promise<DocumentOverview | null> {
  const known = await findInWorkflows(db, workspaceId, recordId)
  if (known.length === 0) return null
  const ids = known.map(({ workflow_id: id }) => id)
  const failures = new Map(
    (await lastFailures(db, ids, recordId)).map((failure) => [failure.workflow_id, failure]),
  )
  const workflows: WorkflowDocument[] = []
  for (const found of known) {
    const workflow = await readWorkflowIn(db, workspaceId, found.workflow_id)
    if (workflow) workflows.push(inWorkflow(workflow, found, failures.get(workflow.id)))
  }
  return { ...about(recordId, known), workflows }
}

/** The newest listing describes the document best. */
function about(recordId: string, known: DocumentInWorkflow[]): Omit<DocumentOverview, 'workflows'> {
  const listed = known.flatMap(({ wanted }) => wanted ?? [])
  const ref = listed.toSorted((a, b) => Date.parse(b.as_of) - Date.parse(a.as_of))[0]?.ref
  return {
    record_id: recordId,
    title: ref?.title ?? '',
    url: ref?.url ?? '',
    space_key: ref?.scope ?? '',
    space_name: ref?.scopeName ?? '',
    labels: ref?.labels ?? [],
    ancestors: ref?.ancestors ?? [],
    author: ref?.author ?? null,
    modified_at: ref?.modifiedAt ?? null,
    version: ref?.version ?? known.find(({ written }) => written?.version)?.written?.version ?? null,
  }
}

function inWorkflow(
  workflow: WorkflowRow,
  found: DocumentInWorkflow,
  failure: LastFailure | undefined,
): WorkflowDocument {
  const { wanted, written } = found
  const wantedVersion = wanted?.ref.version ?? null
  const indexed = written && !written.skipped && written.version !== '' ? written : null
  return {
    workflow_id: workflow.id,
    name: workflow.name,
    destination_id: workflow.destination_id,
    state: stateOf(found),
    indexed_version: indexed?.version ?? null,
    wanted_version: wantedVersion,
    elements: indexed?.elements ?? 0,
    written_at: indexed ? new Date(indexed.updated_at).toISOString() : null,
    error: errorOf(found, failure),
    permissions: permissionSummary(workflow, found),
  }
}

function stateOf({ wanted, written }: DocumentInWorkflow): WorkflowDocument['state'] {
  if (written?.skipped) return 'skipped'
  if (!written || written.version === '') return 'waiting'
  return wanted && wanted.ref.version !== written.version ? 'outdated' : 'searchable'
}

/** A failure counts until the wanted version is written after it. */
function errorOf(
  { wanted, written }: DocumentInWorkflow,
  failure: LastFailure | undefined,
): WorkflowDocument['error'] {
  if (failure) {
    const isWritten = written?.settled === true && !written.skipped && written.version === wanted?.ref.version
    const isLater = written !== null && Date.parse(written.updated_at) > failure.at.getTime()
    if (!(isWritten && isLater)) return advice(failure.code, failure.message, failure.at)
  }
  if (!written?.skipped) return null
  const { code, message } = written.skipped
  return advice(code, message, new Date(written.updated_at))
}

function advice(code: string, message: string, at: Date): NonNullable<WorkflowDocument['error']> {
  return {
    code,
    message,
    fix: fixOf(code) ?? 'Run the workflow again. If this keeps happening, read the log of the job.',
    at: at.toISOString(),
  }
}
