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

export const destinationShape = connectorShape.extend({
  sandbox: z.boolean().describe("Whether it is the workspace's sandbox, in the service's own database"),
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
      fields: z
        .array(z.string())
        .optional()
        .describe('Of a failed step: the fields of `config` that fix it, the likeliest first'),
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

const subjectShape = z
  .object({
    kind: z.enum(['workflow', 'source', 'destination', 'job', 'document', 'setting', 'documents']),
    id: z.string().describe('For `setting` the source or workflow, for `documents` the job'),
    field: z
      .string()
      .nullable()
      .describe('The setting, or the code of the warning or error that the documents have'),
  })
  .nullable()
  .describe('What the warning is about')

export const warningShape = z.object({
  code: z.string(),
  message: z.string(),
  documents: z.number().optional(),
  subject: subjectShape,
})

export const incompleteShape = z
  .object({
    documents: z.number().nullable().describe('How many documents limits left out; null if unknown'),
    limits: z.array(
      z.object({
        kind: z.enum(['documents_per_scope', 'scopes', 'file_size', 'destination_documents']),
        setting: z.string().nullable().describe('The setting of the source; null for a fixed limit'),
        scope: z.string().nullable(),
        left_out: z.number().nullable().describe('Documents, or scopes; null if unknown'),
        noun: z.string().describe('What is left out, a singular lower-case noun such as `page`'),
        source_id: z.string().nullable(),
      }),
    ),
  })
  .nullable()
  .describe('What limits left out of the run; null if nothing')

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
  schedule_timezone: z.string().describe('The time zone of the schedule'),
  next_run_at: z.string().nullable().describe('When the schedule starts it next; null without one'),
  reprocess_all: z.boolean(),
  swap_index: z.boolean(),
  permissions_schedule: z.string().describe('`every N minutes` or `off`'),
  max_permission_age_hours: z
    .number()
    .nullable()
    .describe('Search hides spaces whose permissions are older; null for no limit'),
  hide_in_index_after_hours: z
    .number()
    .nullable()
    .describe('The index hides spaces whose permissions are older; null for never'),
  key: z.string().nullable(),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string(), subject: subjectShape }))
    .describe('Settings that are allowed, but probably a mistake'),
})

export const jobStatus = z.enum(['SCHEDULED', 'IN_PROGRESS', 'COMPLETED', 'STOPPED', 'FAILED'])

export const processingStatus = z.enum([
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
  status: jobStatus,
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
  kind: z
    .enum(['content', 'permissions', 'verify'])
    .describe(
      '`permissions` jobs read no text and add no document; `verify` jobs compare or repair an index, and their `workflow_id` is the destination',
    ),
  processing_status: processingStatus,
  found: z.number().describe('Documents found so far, processed or not'),
  counts: countsShape,
  held_back: z.number().describe('Documents whose removal waits for approval'),
  incomplete: incompleteShape,
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
  error: warningShape
    .pick({ code: true, subject: true })
    .nullable()
    .describe(
      'Why the job failed: a code of the error catalogue, and what to change; null if it did not fail',
    ),
  step_seconds: z
    .record(z.string(), z.number())
    .describe(
      'Time spent on `list`, `read`, `partition`, `enrich`, `chunk`, `embed` and `write`; parallel work adds up, so the sum can exceed the runtime',
    ),
  summary: z.object({
    total_docs: z.number(),
    total_docs_succeeded: z.number(),
    total_docs_failed: z.number(),
  }),
  counts: countsShape,
  warnings: z.array(warningShape),
  incomplete: incompleteShape,
  documents_kept: z.boolean().describe('Whether its documents can still be listed'),
  settings: z
    .object({
      source_id: z.string().nullish(),
      destination_id: z.string().nullish(),
      nodes: z.array(nodeShape),
      reprocess_all: z.boolean().optional(),
      swap_index: z.boolean().optional(),
      retry_of: z.string().optional(),
      remove_elements: z.boolean().optional().describe('The job removes the elements of a deleted workflow'),
    })
    .describe('The settings it started with; later changes of the workflow do not apply'),
})

export const freshnessShape = z.object({
  scopes: z.array(
    z.object({
      scope: z.string(),
      name: z.string().describe('Empty if no document of it was read'),
      proved_at: z.string().nullable().describe('When the last complete reading of its permissions began'),
      age_seconds: z.number().nullable(),
      status: z.enum(['fresh', 'stale', 'hidden', 'never']),
      decisions: z
        .object({
          count: z.number().describe('Restrictions that the source decided with checks and keeps'),
          oldest: z.string().describe('When the oldest of them was proved last'),
        })
        .nullable(),
    }),
  ),
  oldest: z.string().nullable().describe('The oldest `proved_at`'),
  job_id: z.string().nullable().describe('The job that reads the permissions now'),
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
  totals: z
    .record(z.string(), z.number())
    .describe('Documents by state that the filters match, whatever `state` is'),
  scopes: z
    .array(z.object({ key: z.string(), name: z.string() }))
    .describe('The scopes that the job read, such as spaces'),
  next: z.string().nullable(),
  previous: z.string().nullable(),
})

/** `set` names what the service operator configures to enable a provider. */
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
