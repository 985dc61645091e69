import type {
  DocumentChanges,
  DocumentContent,
  WorkflowDocument,
} from '../../../../src/api/shapes/document.ts'

export type {
  DocumentChanges,
  DocumentContent,
  DocumentOverview,
  DocumentVersion,
  WorkflowDocument,
} from '../../../../src/api/shapes/document.ts'

export type DocumentPermissions = WorkflowDocument['permissions']
export type Block = DocumentContent['blocks'][number]
export type ContentElement = DocumentContent['elements'][number]
export type PermissionChange = DocumentChanges['permissions'][number]

export type DocumentRun = {
  job_id: string
  at: string
  state: string
  version: string | null
  error: { code: string; message: string } | null
  elements: number | null
}

export type LocatedDocument = { workspace_id: string; name: string }
