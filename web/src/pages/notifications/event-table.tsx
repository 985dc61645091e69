import { Box, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Column, type CursorPaging, DataTable } from '../../components/data-table.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { ThingLink } from '../../components/thing-link.tsx'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import { notificationsTexts as texts } from '../../texts/notifications.ts'
import { IncompleteBadge } from '../jobs/job-state.tsx'
import { detailsOf, rowsOf } from './event-details.ts'
import type { Feed, FeedEvent } from './types.ts'

type Row = ReturnType<typeof rowsOf>[number]
type Props = { feed: UseQueryResult<Feed>; paging: CursorPaging; empty: ReactNode }

/** Unread events are bold and can be marked. */
export function EventTable({ feed, paging, empty }: Props) {
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
      rows={feed.data && rowsOf(feed.data.events)}
      query={feed}
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
        {link ? <ThingLink thing={link}>{link.name}</ThingLink> : null}
        {link && text ? ': ' : ''}
        {text}
      </Text>
      {incomplete ? <IncompleteBadge incomplete={incomplete} /> : null}
    </Group>
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
