import type { ResponseOf } from '../../../service/types.ts'

export type WorkflowRun = ResponseOf<'GET /api/v1/workflows/{id}/runs'>[number]
export type Estimate = ResponseOf<'POST /api/v1/workflows/{id}/estimate'>
export type RunChanges = ResponseOf<'GET /api/v1/jobs/{id}/differences'>
export type ChangedDocument = RunChanges['items'][number]
