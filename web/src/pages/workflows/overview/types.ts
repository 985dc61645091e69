import type { Operations } from '../../../../../packages/millrace-client/src/schema.ts'

export type WorkflowRun = Operations['GET /api/v1/workflows/{id}/runs']['response'][number]
export type Estimate = Operations['POST /api/v1/workflows/{id}/estimate']['response']
export type Differences = Operations['GET /api/v1/jobs/{id}/differences']['response']
export type Difference = Differences['items'][number]
