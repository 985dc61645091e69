import { Drawer, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { useCursor } from '../../../service/cursor.ts'
import { useApi } from '../../../service/session.ts'
import { notificationsTexts, webhooksTexts } from '../../../texts/notifications.ts'
import { shellTexts } from '../../../texts/shell.ts'
import type { Channel, Delivery, DeliveryPage } from '../types.ts'
import { CHANNELS, hostOf } from './channel-path.ts'

const texts = webhooksTexts.log
const [PENDING_POLL_MS, IDLE_POLL_MS] = [2_000, 30_000]
const ROWS = 20
const states = { pending: 'pending', delivered: 'SUCCESS', failed: 'FAILED' } as const

type Props = {
  /** Undefined: closed. */
  channel: Channel | undefined
  onClose: () => void
}

export function DeliveryDrawer({ channel, onClose }: Props) {
  return (
    <Drawer
      opened={channel !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={texts.title(hostOf(channel?.url ?? ''))}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
      styles={{ title: { fontWeight: 600, overflowWrap: 'anywhere' } }}
    >
      {channel ? <Deliveries channel={channel} /> : null}
    </Drawer>
  )
}

function Deliveries({ channel }: { channel: Channel }) {
  const api = useApi()
  const cursor = useCursor()
  const path = `${CHANNELS}/${channel.id}/deliveries`
  const deliveries = useQuery({
    ...api.query<DeliveryPage>(path, { cursor: cursor.at, limit: ROWS }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'pending') ? PENDING_POLL_MS : IDLE_POLL_MS,
  })
  const replay = useAction(({ id }: Delivery) => api.post<Delivery>(`${path}/${id}/replay`), {
    refreshes: [path],
    notice: texts.replayed,
  })
  const columns: Column<Delivery>[] = [
    {
      id: 'event',
      header: texts.columns.event,
      cell: ({ event_type: type }) => eventName(type),
    },
    { id: 'status', header: texts.columns.status, cell: (delivery) => <Status delivery={delivery} /> },
    {
      id: 'attempts',
      header: texts.columns.attempts,
      align: 'end',
      hideOnPhone: true,
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'at',
      header: texts.columns.at,
      hideOnPhone: true,
      cell: ({ last_attempt_at: at }) => <RelativeTime at={at} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (delivery) => {
        const label = texts.replay(eventName(delivery.event_type))
        return (
          <IconButton
            label={label}
            icon={<IconRefresh size={16} />}
            loading={replay.isPending && replay.variables?.id === delivery.id}
            onClick={() => replay.mutate(delivery)}
          />
        )
      },
    },
  ]
  return (
    <DataTable
      label={texts.title(hostOf(channel.url))}
      columns={columns}
      rows={deliveries.data?.items}
      query={deliveries}
      rowId={({ id }) => id}
      paging={cursor.paging(deliveries.data?.next)}
      empty={<EmptyState title={texts.none} level={3} />}
    />
  )
}

function Status({ delivery }: { delivery: Delivery }) {
  const { status, error, next_attempt_at: next } = delivery
  return (
    <Stack gap={0} align="flex-start">
      <StateBadge state={states[status]} label={texts[status]} />
      {error && status !== 'delivered' ? (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      ) : null}
      {next && error ? (
        <Text size="sm" c="dimmed">
          {texts.next} <RelativeTime at={next} />
        </Text>
      ) : null}
    </Stack>
  )
}

function eventName(type: string): string {
  const names: Record<string, string> = notificationsTexts.events
  return names[type] ?? type
}
