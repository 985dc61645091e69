import { z } from 'zod'
import type { Caller } from '../../../accounts/roles.ts'
import { notFound } from '../../../errors.ts'
import { firstPart } from '../../../store/keyset.ts'
import { EVENT_TYPES } from '../../../store/notifications/events.ts'
import {
  countUnread,
  type FeedReader,
  listNotifications,
  type MarkedNotifications,
  markRead,
  readNotification,
} from '../../../store/notifications/feed.ts'
import { type ApiContext, type App, callerOf, isId } from '../../http/context.ts'
import { feedShape, notificationShape, toNotification } from '../../shapes/notification.ts'
import { BOOLEAN_WORDS } from '../../shapes/rules.ts'

/** What happened in a workspace, and what a person has not read yet. */
export function notificationRoutes(app: App, { resources }: ApiContext): void {
  const { db } = resources
  const config = { allows: 'viewer', keys: true } as const

  app.get(
    '/notifications',
    { config, schema: { querystring: feedQuery, response: { 200: feedShape } } },
    async (request) => {
      const { workflow_id: workflowId, event_types: eventTypes, since, limit, cursor } = request.query
      if (workflowId !== undefined && !isId(workflowId)) return { events: [], next_cursor: null }
      const found = await listNotifications(db, readerOf(callerOf(request)), {
        workflowId,
        eventTypes,
        since: since ? new Date(since) : undefined,
        unreadOnly: request.query.unread_only,
        before: cursor ?? null,
        limit: limit + 1,
      })
      const { rows, next } = firstPart(found, limit, (row) => row.sequence)
      return { events: rows.map(toNotification), next_cursor: next }
    },
  )

  app.get(
    '/notifications/unread-count',
    {
      config,
      schema: {
        querystring: z.strictObject({ event_types: eventTypesField }),
        response: { 200: z.object({ unread_count: z.number() }) },
      },
    },
    async (request) => {
      const { event_types: eventTypes } = request.query
      return { unread_count: await countUnread(db, readerOf(callerOf(request)), { eventTypes }) }
    },
  )

  app.post(
    '/notifications/mark-read',
    {
      config,
      schema: {
        operationId: 'markNotificationsRead',
        body: markedBody,
        response: { 200: z.object({ marked_count: z.number() }) },
      },
    },
    async (request) => ({
      marked_count: await markRead(db, readerOf(callerOf(request)), parseMarked(request.body)),
    }),
  )

  app.get(
    '/notifications/:notification_id',
    {
      config,
      schema: { params: z.object({ notification_id: z.string() }), response: { 200: notificationShape } },
    },
    async (request) => {
      const { notification_id: id } = request.params
      const row = isId(id) ? await readNotification(db, readerOf(callerOf(request)), id) : undefined
      if (!row) throw notFound('Notification')
      return toNotification(row)
    },
  )
}

/** Each person has an own reading state; the keys of a workspace share one. */
export function readerOf({ kind, workspaceId, actor }: Caller): FeedReader {
  return { workspaceId, reader: kind === 'key' ? 'key' : actor }
}

export const eventTypesField = z
  .string()
  .optional()
  .describe(`Comma-separated: ${EVENT_TYPES.join(', ')}`)
  .transform((text, context) => {
    const names = (text ?? '').split(',').map((name) => name.trim())
    const given = names.filter((name) => name !== '')
    const unknown = given.find((name) => !EVENT_TYPES.some((type) => type === name))
    if (unknown !== undefined)
      context.addIssue({ code: 'custom', message: `"${unknown}" is not one of ${EVENT_TYPES.join(', ')}` })
    return given.length > 0 ? given : undefined
  })

const feedQuery = z.strictObject({
  workflow_id: z.string().optional(),
  event_types: eventTypesField,
  since: z.iso.datetime({ offset: true }).optional().describe('Events at this time or later'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'cursor should be the `next_cursor` of another response')
    .optional(),
  unread_only: z.stringbool().meta(BOOLEAN_WORDS).default(false),
})

const absent = z.null().optional()
const unset = z.literal(false).nullish()
const workflowId = z.string().nullish()
const ONE_RULE =
  'give exactly one of notification_ids (1 to 100), before (a time such as 2026-01-31T12:00:00Z) and mark_all (true); workflow_id only with the last two'

const markedBody = z.union(
  [
    z.strictObject({
      notification_ids: z.array(z.string()).min(1).max(100),
      before: absent,
      mark_all: unset,
      workflow_id: absent,
    }),
    z.strictObject({
      before: z.iso.datetime({ offset: true }).describe('Events before this time'),
      notification_ids: absent,
      mark_all: unset,
      workflow_id: workflowId,
    }),
    z.strictObject({
      mark_all: z.literal(true),
      notification_ids: absent,
      before: absent,
      workflow_id: workflowId,
    }),
  ],
  { error: ONE_RULE },
)

function parseMarked(body: z.infer<typeof markedBody>): MarkedNotifications {
  const { notification_ids: ids, before, workflow_id: workflow } = body
  if (ids) return { ids: ids.filter(isId) }
  // An id that no workflow can have marks nothing.
  if (workflow && !isId(workflow)) return { ids: [] }
  const ofWorkflow = workflow ? { workflowId: workflow } : {}
  return before ? { before: new Date(before), ...ofWorkflow } : { all: true, ...ofWorkflow }
}
