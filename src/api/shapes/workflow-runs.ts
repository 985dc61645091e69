import { z } from 'zod'
import { CHANGES } from '../../store/jobs/run-changes.ts'
import { incompleteShape, jobStatus, processingStatus } from './resources.ts'

const documentCount = z.number().nullable().describe('Null if the source does not say')

export const estimateShape = z.object({
  at: z.string(),
  documents: documentCount,
  by_scope: z.array(z.object({ scope: z.string(), name: z.string(), documents: documentCount })),
  limited: z.boolean().describe('Whether a limit of the source leaves documents out'),
  elements: z.number().nullable().describe('Null before the first run'),
  seconds: z.number().nullable().describe('Null before the first run'),
  basis: z.object({
    runs: z.number().describe('Earlier runs that `seconds` is the median of'),
    documents: z.number().describe('Documents in the index that `elements` is calculated from'),
  }),
})

export const runShape = z.object({
  job_id: z.string(),
  created_at: z.string(),
  status: jobStatus,
  processing_status: processingStatus,
  job_type: z.string(),
  seconds: z.number().nullable().describe('Null until it ended'),
  found: z.number(),
  new: z.number(),
  changed: z.number().describe('Documents whose text or permissions changed'),
  removed: z.number(),
  failed: z.number(),
  elements: z.number().describe('Elements that it wrote'),
  documents_kept: z.boolean().describe('Whether it can be compared with other runs'),
  incomplete: incompleteShape,
  estimate: estimateShape
    .nullable()
    .describe('What was expected before it started; null without an estimate'),
})

export const runChangesShape = z.object({
  from: z.object({ job_id: z.string(), created_at: z.string() }),
  to: z.object({ job_id: z.string(), created_at: z.string() }),
  complete: z.boolean().describe('False if documents of a run in between are no longer kept'),
  totals: z.object({ new: z.number(), changed: z.number(), removed: z.number(), failed: z.number() }),
  items: z.array(
    z.object({
      record_id: z.string(),
      title: z.string(),
      url: z.string(),
      change: z.enum(CHANGES),
      permissions_only: z.boolean(),
      job_id: z.string().describe('The last run that changed it'),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
  next: z.string().nullable(),
})

export const nextRunsShape = z.object({
  cron_expression: z.string(),
  schedule_timezone: z.string(),
  text: z.string().describe('The schedule as a sentence'),
  next_runs: z.array(z.string()),
})
