import { Box, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Column, type CursorPaging, DataTable } from '../../components/data-table.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { notificationsTexts as texts } from '../../texts/notifications.ts'
import { IncompleteBadge } from '../jobs/job-state.tsx'
import { detailsOf, type EventLink, rowsOf } from './event-details.ts'
import type { FeedEvent } from './types.ts'

type Row = ReturnType<typeof rowsOf>[number]
type Props = { events: FeedEvent[] | undefined; paging: CursorPaging; empty: ReactNode }

/** Unread events are bold and can be marked. */
export function EventTable({ events, paging, empty }: Props) {
  const columns: Column<Row>[] = [
    {
      id: 'event',
      header: texts.columns.event,
      cell: ({ event }) => <EventCell event={event} />,
    },
    {
      id: 'at',
      header: texts.columns.at,
      width: 136,
      cell: ({ event: { created_at: at } }) => <RelativeTime at={at} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (row) => (row.event.is_read ? null : <MarkRead {...row} />),
    },
  ]
  return (
    <DataTable
      label={texts.list}
      columns={columns}
      rows={events && rowsOf(events)}
      rowId={({ event }) => event.id}
      paging={paging}
      empty={empty}
    />
  )
}

/** Next to each other, or below each other on a phone. */
function EventCell({ event }: { event: FeedEvent }) {
  const { state, label, link, text, incomplete } = detailsOf(event)
  return (
    <Group gap={8} align="flex-start">
      <Box miw={184}>
        <StateBadge state={state} label={label} />
      </Box>
      <Text flex="1 1 184px" fw={event.is_read ? undefined : 600} style={{ overflowWrap: 'anywhere' }}>
        {link ? <SubjectLink link={link} /> : null}
        {link && text ? ': ' : ''}
        {text}
      </Text>
      {incomplete ? <IncompleteBadge incomplete={incomplete} /> : null}
    </Group>
  )
}

function SubjectLink({ link }: { link: EventLink }) {
  const { id: workspaceId } = useWorkspace()
  if (link.kind === 'job')
    return (
      <TextLink to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: link.id }}>
        {link.name}
      </TextLink>
    )
  if (link.kind === 'workflow')
    return (
      <TextLink to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: link.id }}>
        {link.name}
      </TextLink>
    )
  return (
    <TextLink
      to="/w/$workspaceId/connectors/$kind/$connectorId"
      params={{ workspaceId, kind: link.kind, connectorId: link.id }}
    >
      {link.name}
    </TextLink>
  )
}

function MarkRead({ event, ids }: Row) {
  const api = useApi()
  const mark = useAction(() => api.post('/notifications/mark-read', { notification_ids: ids }), {
    refreshes: ['/notifications'],
  })
  const label = texts.markOne(detailsOf(event).label)
  return (
    <IconButton
      label={label}
      icon={<IconCheck size={16} />}
      loading={mark.isPending}
      onClick={() => mark.mutate()}
    />
  )
}
