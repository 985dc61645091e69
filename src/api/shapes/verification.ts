import { z } from 'zod'
import { jobStatus } from './resources.ts'

const spaceShape = z.object({
  space_key: z.string(),
  documents: z.number(),
  elements: z.number(),
  missing: z.number(),
  different: z.number(),
  extra: z.number(),
  ledger_hash: z.string(),
  index_hash: z.string(),
})

const comparedShape = z.object({
  ok: z.boolean().describe('Whether the index holds exactly what the ledger says'),
  spaces: z.array(spaceShape),
  foreign_elements: z.number(),
})

export const verdictShape = comparedShape.extend({
  findings: z.array(
    z.object({
      kind: z.enum(['missing', 'different', 'extra']),
      record_id: z.string(),
      space_key: z.string(),
      elements: z.number(),
      element_ids: z.array(z.string()),
      reason: z.string(),
    }),
  ),
  more_findings: z.number(),
})

export const repairShape = comparedShape.extend({
  removed_elements: z.number(),
  jobs: z.array(z.object({ id: z.string(), workflow_id: z.string() })),
})

export const verificationShape = z.object({
  id: z.string().describe('The job, also under `/jobs/{id}`'),
  kind: z.enum(['verify', 'repair']),
  status: jobStatus,
  processing_status: z.string(),
  message: z.string().nullable(),
  poll: z.string().describe('Where to read the progress and the result'),
  progress: z.object({
    phase: z.enum(['ledger', 'index', 'confirm', 'repair', 'start', 'done']),
    waits_for: z.string().nullable().describe('The content job that has to end first'),
    documents_compared: z.number(),
    documents_total: z.number(),
    elements_listed: z.number(),
    removed_elements: z.number(),
  }),
  result: verdictShape.nullable().describe('Of a verification that has completed'),
  repaired: repairShape.nullable().describe('Of a repair that has completed'),
})

export const verifyResponses = {
  200: verdictShape,
  202: verificationShape.describe('Not complete within `wait`; the job continues'),
}
export const repairResponses = {
  202: z
    .union([repairShape, verificationShape])
    .describe('The result, or the job if it takes longer than `wait`'),
}
