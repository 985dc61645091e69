import { z } from 'zod'

/** Clients of the platform API rely on these names; our own follow. */
export const connectorShape = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  config: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  key: z.string().nullable(),
})

export const checkShape = z.object({
  id: z.string(),
  status: z.enum(['SCHEDULED', 'SUCCESS', 'FAILURE']),
  reason: z.string().nullable(),
  steps: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'failed', 'warning', 'skipped', 'pending']),
      detail: z.string(),
      fix: z.string().optional(),
    }),
  ),
  created_at: z.string(),
  reported_at: z.string().nullable(),
})

export const nodeShape = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  subtype: z.string(),
  settings: z.record(z.string(), z.unknown()).nullable(),
})

export const workflowShape = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  status: z.enum(['active', 'inactive']),
  sources: z.array(z.string()),
  destinations: z.array(z.string()),
  workflow_type: z.enum(['basic', 'advanced', 'platinum', 'custom']),
  workflow_nodes: z.array(nodeShape),
  schedule: z.object({ crontab_entries: z.array(z.object({ cron_expression: z.string() })) }),
  reprocess_all: z.boolean(),
  swap_index: z.boolean(),
  key: z.string().nullable(),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .describe('Settings that are allowed, but probably a mistake'),
})

const processingStatus = z.enum([
  'SCHEDULED',
  'IN_PROGRESS',
  'SUCCESS',
  'COMPLETED_WITH_ERRORS',
  'STOPPED',
  'FAILED',
])

const countsShape = z.object({
  discovered: z.number(),
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  skipped: z.number(),
  failed: z.number(),
  removed: z.number(),
  permissions_only: z.number(),
})

export const jobShape = z.object({
  id: z.string(),
  workflow_id: z.string(),
  workflow_name: z.string(),
  status: z.enum(['SCHEDULED', 'IN_PROGRESS', 'COMPLETED', 'STOPPED', 'FAILED']),
  created_at: z.string(),
  runtime: z.string().nullable(),
  input_file_ids: z.array(z.string()).nullable(),
  output_node_files: z
    .array(
      z.object({
        node_id: z.string(),
        file_id: z.string(),
        node_type: z.string(),
        node_subtype: z.string(),
      }),
    )
    .nullable(),
  job_type: z.enum(['ephemeral', 'persistent', 'scheduled', 'template']),
  processing_status: processingStatus,
  found: z.number().describe('Documents found so far, processed or not'),
  counts: countsShape,
  held_back: z.number().describe('Documents whose removal waits for approval'),
  started_by: z.object({
    kind: z.enum(['person', 'key', 'schedule', 'retry', 'unknown']),
    name: z.string().nullable().describe('Name of the person or key; null if deleted'),
  }),
})

export const jobDetailsShape = z.object({
  id: z.string(),
  processing_status: processingStatus,
  node_stats: z.array(
    z.object({
      node_name: z.string(),
      node_type: z.string(),
      node_subtype: z.string(),
      ready: z.number(),
      in_progress: z.number(),
      success: z.number(),
      failure: z.number(),
    }),
  ),
  message: z.string().nullable(),
  summary: z.object({
    total_docs: z.number(),
    total_docs_succeeded: z.number(),
    total_docs_failed: z.number(),
  }),
  counts: countsShape,
  warnings: z.array(z.object({ code: z.string(), message: z.string(), documents: z.number().optional() })),
  documents_kept: z.boolean().describe('Whether its documents can still be listed'),
  settings: z
    .object({
      source_id: z.string().nullish(),
      destination_id: z.string().nullish(),
      nodes: z.array(nodeShape),
      reprocess_all: z.boolean().optional(),
      swap_index: z.boolean().optional(),
      retry_of: z.string().optional(),
    })
    .describe('The settings it started with; later changes of the workflow do not apply'),
})

export const documentsShape = z.object({
  items: z.array(
    z.object({
      record_id: z.string(),
      title: z.string(),
      url: z.string(),
      state: z.string(),
      attempts: z.number(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
      elements: z.number().nullable(),
      warnings: z.array(z.object({ code: z.string(), count: z.number(), message: z.string() })).optional(),
      updated_at: z.string(),
    }),
  ),
  next: z.string().nullable(),
  previous: z.string().nullable(),
})

/** `set` names what the operator configures to enable a provider. */
export const modelsShape = z.array(
  z.object({
    provider: z.string(),
    configured: z.boolean(),
    set: z.string(),
    answers: z.boolean(),
    model: z.string().nullable(),
    embeds: z.array(z.object({ model_name: z.string(), dimensions: z.number(), max_characters: z.number() })),
  }),
)
