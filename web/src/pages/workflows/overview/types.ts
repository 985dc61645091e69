import type { ResponseOf } from '../../../service/types.ts'

export type WorkflowRun = ResponseOf<'GET /api/v1/workflows/{id}/runs'>[number]
export type Estimate = ResponseOf<'POST /api/v1/workflows/{id}/estimate'>
