import { z } from 'zod'
import type { NotificationRow } from '../../store/notifications/feed.ts'

export const notificationShape = z.object({
  id: z.string(),
  event_type: z.string(),
  workflow_id: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()).describe('The body that webhooks receive'),
  created_at: z.string(),
  is_read: z.boolean(),
})
export const feedShape = z.object({ events: z.array(notificationShape), next_cursor: z.string().nullable() })

export function toNotification(row: NotificationRow): z.infer<typeof notificationShape> {
  return {
    id: row.id,
    event_type: row.event_type,
    workflow_id: row.workflow_id,
    payload: row.payload,
    created_at: row.created_at.toISOString(),
    is_read: row.is_read,
  }
}
