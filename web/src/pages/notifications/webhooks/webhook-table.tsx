import { Stack, Switch, Text, Tooltip } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { notificationsTexts, webhooksTexts as texts } from '../../../texts/notifications.ts'
import { type Channel, type Channels, eventTypes } from '../types.ts'
import { CHANNELS, hostOf } from './channel-path.ts'
import { useWebhookActions, WebhookMenu } from './webhook-menu.tsx'

export function WebhookTable() {
  const api = useApi()
  const channels = useQuery(api.query<Channels>(CHANNELS, { channel_type: 'webhook' }))
  const { choose, dialogs } = useWebhookActions()
  const columns: Column<Channel>[] = [
    {
      id: 'url',
      header: texts.columns.url,
      cell: ({ url, description }) => (
        <Stack gap={0} miw={160}>
          <Text span fw={500} style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
          {description ? (
            <Text span size="sm" c="dimmed">
              {description}
            </Text>
          ) : null}
        </Stack>
      ),
    },
    {
      id: 'events',
      header: texts.columns.events,
      hideOnPhone: true,
      width: 112,
      cell: ({ event_types: types }) => (
        <Tooltip
          label={eventNames(types)}
          multiline
          maw={320}
          events={{ hover: true, focus: true, touch: true }}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the names. */}
          <span tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
            {texts.eventCount(types.length)}
          </span>
        </Tooltip>
      ),
    },
    {
      id: 'status',
      header: texts.columns.status,
      width: 160,
      cell: (channel) => <Status channel={channel} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (channel) => <WebhookMenu channel={channel} onChoose={choose} />,
    },
  ]
  return (
    <>
      <DataTable
        label={texts.list}
        columns={columns}
        rows={channels.data?.items}
        query={channels}
        rowId={({ id }) => id}
        empty={
          <EmptyState icon={<IconWebhook size={32} stroke={1.5} />} title={texts.none.title} level={3}>
            {texts.none.text}
          </EmptyState>
        }
      />
      {dialogs}
    </>
  )
}

function eventNames(types: string[]): string {
  return eventTypes
    .filter((type) => types.includes(type))
    .map((type) => notificationsTexts.events[type])
    .join(', ')
}

function Status({ channel }: { channel: Channel }) {
  const api = useApi()
  const host = hostOf(channel.url)
  const toggle = useAction(
    (enabled: boolean) => api.patch<Channel>(`${CHANNELS}/${channel.id}`, { enabled }),
    { refreshes: [CHANNELS], notice: (_, enabled) => (enabled ? texts.enabled : texts.disabled)(host) },
  )
  // Shows the new state while saving.
  const enabled = toggle.isPending ? toggle.variables : channel.enabled
  return (
    <Stack gap={4}>
      <Switch
        aria-label={texts.toggle(host)}
        label={enabled ? texts.on : texts.off}
        checked={enabled}
        onChange={(event) => toggle.mutate(event.currentTarget.checked)}
      />
      {channel.disabled_reason ? (
        <Text size="sm" c="var(--mr-bad)">
          {texts.reasons[channel.disabled_reason]}
        </Text>
      ) : channel.failing_since ? (
        <Text size="sm" c="var(--mr-warning)">
          {texts.failingSince} <RelativeTime at={channel.failing_since} />
        </Text>
      ) : null}
    </Stack>
  )
}
