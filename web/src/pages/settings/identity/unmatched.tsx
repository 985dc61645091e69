import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useCursor } from '../../../service/cursor.ts'
import { useApi } from '../../../service/session.ts'
import { identityTexts } from '../../../texts/identity.ts'
import type { UnmatchedPage } from './types.ts'

const texts = identityTexts.unmatched
type Claim = UnmatchedPage['claims'][number]
type Account = UnmatchedPage['accounts'][number]

const claimColumns: Column<Claim>[] = [
  { id: 'value', header: texts.claimColumns.value, cell: ({ value }) => value },
  { id: 'reason', header: texts.claimColumns.reason, cell: ({ reason }) => texts.reasons[reason] },
  {
    id: 'seen',
    header: texts.claimColumns.seen,
    cell: ({ seen_at: at }) => <RelativeTime at={at} />,
    sortBy: ({ seen_at: at }) => at,
  },
]
const accountColumns: Column<Account>[] = [
  { id: 'name', header: texts.accountColumns.name, cell: ({ name }) => name ?? '–' },
  {
    id: 'account',
    header: texts.accountColumns.account,
    cell: ({ account }) => <span className="mono">{account}</span>,
  },
]

/** People without an account, and accounts without a person. */
export function Unmatched({ sourceId }: { sourceId: string }) {
  const api = useApi()
  const cursor = useCursor()
  const query = { source_id: sourceId, cursor: cursor.at, limit: 25 }
  const unmatched = useQuery(api.query<UnmatchedPage>('/identities/unmatched', query))
  return (
    <Panel title={texts.title} description={texts.text}>
      <Stack>
        <Title order={3}>{texts.claims}</Title>
        <DataTable
          label={texts.claims}
          columns={claimColumns}
          query={unmatched}
          rows={unmatched.data?.claims}
          rowId={({ kind, value }) => `${kind} ${value}`}
          empty={<EmptyState title={texts.noClaims} level={3} />}
        />
        <Title order={3}>{texts.accounts}</Title>
        <DataTable
          label={texts.accounts}
          columns={accountColumns}
          query={unmatched}
          rows={unmatched.data?.accounts}
          rowId={({ account }) => account}
          paging={cursor.paging(unmatched.data?.next)}
          empty={<EmptyState title={texts.noAccounts} level={3} />}
        />
      </Stack>
    </Panel>
  )
}
