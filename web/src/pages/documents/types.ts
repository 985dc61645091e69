import type { ResponseOf } from '../../service/types.ts'

export type DocumentOverview = ResponseOf<'GET /api/v1/documents'>
export type DocumentVersion = ResponseOf<'GET /api/v1/documents/versions'>[number]
export type DocumentContent = ResponseOf<'GET /api/v1/documents/content'>
export type DrawnPage = ResponseOf<'GET /api/v1/documents/page'>
export type DocumentChanges = ResponseOf<'GET /api/v1/documents/changes'>
export type DocumentRun = ResponseOf<'GET /api/v1/documents/runs'>[number]
export type LocatedDocument = ResponseOf<'GET /api/v1/documents/locate'>[number]
export type WorkflowDocument = DocumentOverview['workflows'][number]

export type DocumentPermissions = WorkflowDocument['permissions']
export type Block = DocumentContent['blocks'][number]
export type ContentElement = DocumentContent['elements'][number]
export type PermissionChange = DocumentChanges['permissions'][number]
