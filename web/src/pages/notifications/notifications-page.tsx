import { Button, Stack, Tabs } from '@mantine/core'
import { IconBell, IconChecks } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useAction } from '../../service/action.ts'
import { useCursor } from '../../service/cursor.ts'
import { problemEvents } from '../../service/problem-events.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'
import { notificationsTexts as texts } from '../../texts/notifications.ts'
import { EventTable } from './event-table.tsx'
import type { Feed } from './types.ts'

const PATH = '/w/$workspaceId/notifications'
const POLL_MS = 30_000
const ROWS = 50

export function NotificationsPage() {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const { show } = useSearch({ from: `/signed-in${PATH}` })
  const cursor = useCursor(show)
  const types = show === 'all' ? undefined : problemEvents.join(',')
  const feed = useQuery({
    ...api.query<Feed>('/notifications', { event_types: types, cursor: cursor.at, limit: ROWS }),
    refetchInterval: POLL_MS,
  })
  const markAll = useAction(
    () =>
      api.post<ResponseOf<'POST /api/v1/notifications/mark-read'>>('/notifications/mark-read', {
        mark_all: true,
      }),
    { refreshes: ['/notifications'], notice: ({ marked_count: count }) => texts.markedAll(count) },
  )
  const empty = show === 'all' ? texts.none : texts.noProblems
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button
            variant="default"
            leftSection={<IconChecks size={16} />}
            loading={markAll.isPending}
            onClick={() => markAll.mutate()}
          >
            {texts.markAll}
          </Button>
        }
      />
      <Stack gap="md">
        <Tabs
          value={show ?? 'problems'}
          onChange={(value) =>
            navigate({
              to: PATH,
              params: { workspaceId },
              search: { show: value === 'all' ? 'all' : undefined },
              replace: true,
            })
          }
        >
          <Tabs.List aria-label={texts.show} mb="md">
            <Tabs.Tab value="problems">{texts.problems}</Tabs.Tab>
            <Tabs.Tab value="all">{texts.all}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value={show ?? 'problems'}>
            <EventTable
              feed={feed}
              paging={cursor.paging(feed.data?.next_cursor)}
              empty={
                <EmptyState icon={<IconBell size={32} stroke={1.5} />} title={empty.title}>
                  {empty.text}
                </EmptyState>
              }
            />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  )
}
