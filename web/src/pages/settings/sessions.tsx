import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../service/action.ts'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import type { SignedInSession } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { deviceOf } from './device.ts'

const texts = settingsTexts.account

export function Sessions() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call<SignedInSession[]>('GET', '/api/auth/list-sessions', { signal }),
  })
  const reload = () => queryClient.invalidateQueries({ queryKey: ['sessions'] })
  const revoke = useAction(
    ({ token }: SignedInSession) => call('POST', '/api/auth/revoke-session', { body: { token } }),
    { notice: texts.revoked, onSuccess: reload },
  )
  const revokeOthers = useAction(() => call('POST', '/api/auth/revoke-other-sessions', { body: {} }), {
    notice: texts.revokedOthers,
    onSuccess: reload,
  })

  return (
    <Panel
      title={texts.sessions}
      description={texts.sessionsText}
      actions={
        (sessions.data?.length ?? 0) > 1 ? (
          <Button variant="default" loading={revokeOthers.isPending} onClick={() => revokeOthers.mutate()}>
            {texts.revokeOthers}
          </Button>
        ) : null
      }
    >
      <DataTable
        label={texts.sessions}
        columns={sessionColumns(revoke.mutate)}
        rows={sessions.data}
        query={sessions}
        rowId={({ id }) => id}
        initialSort={{ by: 'since', direction: 'descending' }}
        empty={<Text c="dimmed">–</Text>}
      />
    </Panel>
  )
}

function sessionColumns(onRevoke: (session: SignedInSession) => void): Column<SignedInSession>[] {
  return [
    {
      id: 'device',
      header: texts.device,
      cell: (session) => (
        <>
          {deviceOf(session.userAgent) ?? texts.unknownDevice}
          {session.current ? (
            <Text span size="sm" c="dimmed" ml="xs">
              {texts.thisDevice}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: 'address',
      header: texts.address,
      hideOnPhone: true,
      cell: ({ ipAddress }) => <span className="mono">{ipAddress || '–'}</span>,
    },
    {
      id: 'since',
      header: texts.since,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
    },
    {
      id: 'expires',
      header: texts.expires,
      hideOnPhone: true,
      cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
    },
    {
      id: 'actions',
      header: texts.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (session) =>
        session.current ? null : (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={texts.revoke(deviceOf(session.userAgent) ?? texts.unknownDevice)}
            onClick={() => onRevoke(session)}
          >
            {texts.revokeWord}
          </Button>
        ),
    },
  ]
}
