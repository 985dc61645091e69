import { z } from 'zod'

const levelKind = z.enum(['space', 'ancestor', 'page'])

const errorShape = z.object({
  code: z.string(),
  message: z.string(),
  fix: z.string().describe('What to do'),
  at: z.string(),
})

const permissionsShape = z.object({
  levels: z
    .array(
      z.object({
        level: levelKind,
        id: z.string(),
        title: z.string().nullable(),
        restricted: z.boolean().describe('Whether this level admits only people and groups that it names'),
      }),
    )
    .describe('From the space down to the page; a reader has to pass every level'),
  people: z
    .number()
    .nullable()
    .describe('People who pass every level by name, or by a group that does not pass itself'),
  groups: z.number().nullable().describe('Groups that pass every level'),
  everyone: z.string().nullable().describe('The class that passes every level, as a token'),
  readers: z
    .object({ people: z.array(z.string()), groups: z.array(z.string()) })
    .nullable()
    .describe('Ids of the first three people and groups; null for viewers and operators'),
  checked_at: z.string().nullable().describe('When reading of these permissions began'),
  status: z
    .enum(['fresh', 'stale', 'hidden', 'never'])
    .describe('`hidden`: search shows it to no one; `stale`: a reading was missed; `never`: not read yet'),
  reason: z.string().nullable().describe('Why search hides it'),
})

const workflowDocumentShape = z.object({
  workflow_id: z.string(),
  name: z.string(),
  destination_id: z.string().nullable(),
  state: z
    .enum(['searchable', 'outdated', 'waiting', 'skipped'])
    .describe('`outdated`: the index holds an older version; `skipped`: its content cannot be indexed'),
  indexed_version: z.string().nullable().describe('The version in the index'),
  wanted_version: z.string().nullable().describe('The version that the newest listing found'),
  elements: z.number(),
  written_at: z.string().nullable(),
  error: errorShape.nullable().describe('Why the newest version is not in the index'),
  permissions: permissionsShape,
})

export const foundDocumentShape = z.object({
  record_id: z.string(),
  title: z.string(),
  space_key: z.string(),
  space_name: z.string(),
})

export const documentOverviewShape = z.object({
  record_id: z.string(),
  title: z.string(),
  url: z.string(),
  space_key: z.string(),
  space_name: z.string(),
  labels: z.array(z.string()),
  ancestors: z.array(z.object({ id: z.string(), title: z.string() })),
  author: z.string().nullable(),
  modified_at: z.string().nullable(),
  version: z.string().nullable(),
  workflows: z.array(workflowDocumentShape),
})
export type DocumentOverview = z.infer<typeof documentOverviewShape>
export type WorkflowDocument = z.infer<typeof workflowDocumentShape>

/** Newest first. */
export const documentRunShape = z.object({
  job_id: z.string(),
  at: z.string(),
  state: z.string(),
  version: z.string().nullable().describe('The version that was read or failed, where known'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  elements: z.number().nullable(),
})

export const documentContentShape = z.object({
  version: z.string().describe('The version that was read now'),
  indexed_version: z.string().nullable().describe('The version in the index'),
  filetype: z.string(),
  indexed: z.boolean().describe('Whether the index holds exactly these elements'),
  blocks: z
    .array(
      z.object({
        id: z.string(),
        type: z.string(),
        text: z.string(),
        html: z.string().nullable(),
        depth: z.number(),
        page: z.number().nullable().describe('The page of a file that has pages'),
        box: z
          .object({ left: z.number(), top: z.number(), right: z.number(), bottom: z.number() })
          .nullable()
          .describe("In points from the page's top left corner, where the reader of the file knows it"),
      }),
    )
    .describe('What the partition node makes of the document, in reading order'),
  elements: z
    .array(
      z.object({
        element_id: z.string(),
        type: z.string(),
        text: z.string(),
        html: z.string().nullable(),
        block_ids: z.array(z.string()),
      }),
    )
    .describe('What the later nodes make of the blocks'),
  total_blocks: z.number().describe('More than `blocks` has if the answer was cut'),
  total_elements: z.number(),
  warnings: z.array(z.object({ code: z.string(), count: z.number(), message: z.string() })),
})
export type DocumentContent = z.infer<typeof documentContentShape>

export const drawnPageShape = z.object({
  version: z.string().describe('The version that was read now'),
  page: z.number(),
  pages: z.number(),
  width: z.number().describe('In points'),
  height: z.number(),
  png: z.string().describe('The page as a picture, in Base64'),
})

export type DrawnPage = z.infer<typeof drawnPageShape>

/** Newest first. */
export const documentVersionShape = z.object({
  id: z.string().describe('For `from` and `to` of the changes'),
  version: z.string(),
  seen_at: z.string().describe('When the index got it'),
  job_id: z.string().nullable(),
  changed: z.array(z.enum(['text', 'permissions', 'place'])).describe('Compared with the version before'),
})

const principalsShape = z.object({
  users: z.array(z.string()),
  groups: z.array(z.string()),
  classes: z.array(z.string()),
  more: z.number().describe('How many more there are'),
})

export const documentChangesShape = z.object({
  from: documentVersionShape.omit({ changed: true }),
  to: documentVersionShape.omit({ changed: true }),
  text: z
    .array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }))
    .nullable()
    .describe('Null if the text of a version cannot be read'),
  text_problem: z.string().nullable(),
  permissions: z.array(
    z.object({
      level: levelKind,
      id: z.string(),
      title: z.string().nullable(),
      added: principalsShape.describe('Tokens without their prefix'),
      removed: principalsShape,
      restriction: z
        .enum(['added', 'removed', 'changed', 'hidden', 'shown'])
        .describe(
          'Whether the level began or ceased to restrict, or names others; `hidden` and `shown` are about the whole document',
        ),
    }),
  ),
})
export type DocumentChanges = z.infer<typeof documentChangesShape>
export type DocumentVersion = z.infer<typeof documentVersionShape>
