import { IconBell } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Workspace } from '../service/types.ts'
import { notificationsTexts as texts } from '../texts/notifications.ts'
import { useActivity } from './activity.ts'
import classes from './shell.module.css'

const MOST = 99

/** Unread problems of this workspace; other events do not ask for attention. */
export function NotificationBell({ workspace }: { workspace: Workspace }) {
  const { unread_count: unread } = useActivity()
  return (
    <Link
      to="/w/$workspaceId/notifications"
      params={{ workspaceId: workspace.id }}
      className={classes.bell}
      aria-label={texts.bell(unread)}
    >
      <IconBell size={18} aria-hidden="true" />
      {unread > 0 ? (
        <span className={`${classes.unread} figures`}>{unread > MOST ? texts.many : unread}</span>
      ) : null}
    </Link>
  )
}
