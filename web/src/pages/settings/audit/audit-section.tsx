import { Button, Group, Menu, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { DocumentLink } from '../../../components/document-link.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useAction } from '../../../service/action.ts'
import { useCursor } from '../../../service/cursor.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi } from '../../../service/session.ts'
import { type AuditPage, may, type Workspace } from '../../../service/types.ts'
import { auditTexts as texts } from '../../../texts/audit.ts'
import { AuditFilters, type Filters, isFiltered, NO_AUDIT_FILTERS, queryOf } from './audit-filters.tsx'
import { AuditSentence } from './audit-sentence.tsx'
import { type Entry, otherDetails } from './sentence.ts'

export function AuditSection({ workspace }: { workspace: Workspace }) {
  if (!may(workspace.role, 'administrator'))
    return <EmptyState title={texts.title}>{texts.administratorsOnly}</EmptyState>
  return <Audit />
}

const columns: Column<Entry>[] = [
  { id: 'what', header: texts.columns.what, cell: (entry) => <AuditSentence entry={entry} /> },
  { id: 'at', header: texts.columns.at, cell: ({ at }) => <RelativeTime at={at} />, width: 144 },
  { id: 'details', header: texts.columns.details, cell: (entry) => <Details entry={entry} /> },
]

function Audit() {
  const api = useApi()
  const [filters, setFilters] = useState<Filters>(NO_AUDIT_FILTERS)
  const query = queryOf(filters)
  const cursor = useCursor(JSON.stringify(query))
  const audit = useQuery(api.query<AuditPage>('/audit', { ...query, cursor: cursor.at, limit: 50 }))
  const empty = isFiltered(filters) ? (
    <EmptyState
      title={audit.data?.next ? texts.noMatchYet : texts.noMatch}
      action={
        <Button variant="default" onClick={() => setFilters(NO_AUDIT_FILTERS)}>
          {texts.clear}
        </Button>
      }
    />
  ) : (
    <EmptyState title={texts.none} />
  )
  return (
    <Panel title={texts.title} description={texts.text} actions={<Export query={query} />}>
      <AuditFilters filters={filters} onChange={setFilters} />
      <DataTable
        label={texts.title}
        columns={columns}
        query={audit}
        rows={audit.data?.items}
        rowId={({ id }) => id}
        paging={cursor.paging(audit.data?.next)}
        empty={empty}
      />
    </Panel>
  )
}

function Details({ entry }: { entry: Entry }) {
  const details = otherDetails(entry)
  if (details.length === 0) return null
  return (
    <Group gap="xs" style={{ overflowWrap: 'anywhere' }}>
      {details.map(([name, value]) => (
        <Text key={name} size="sm" c="dimmed" component="span">
          {name}{' '}
          {value === entry.details.record_id ? (
            <DocumentLink recordId={value} size="sm" />
          ) : (
            <span className="mono">{value}</span>
          )}
        </Text>
      ))}
    </Group>
  )
}

/** The same entries as the table, all pages. */
function Export({ query }: { query: ReturnType<typeof queryOf> }) {
  const api = useApi()
  const save = useAction(
    async (format: 'csv' | 'jsonl') => {
      const response = await api.open('/audit', { query: { ...query, format } })
      saveFile(await response.blob(), `audit.${format}`)
    },
    { notice: texts.exported },
  )
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />} loading={save.isPending}>
          {texts.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('csv')}>{texts.exportCsv}</Menu.Item>
        <Menu.Item onClick={() => save.mutate('jsonl')}>{texts.exportLines}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
