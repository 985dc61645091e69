import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useCursor } from '../../service/cursor.ts'
import { useApi } from '../../service/session.ts'
import { type AuditPage, may, type Workspace } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'

const texts = settingsTexts.audit
type Entry = AuditPage['items'][number] & { id: string }

export function AuditSection({ workspace }: { workspace: Workspace }) {
  if (!may(workspace.role, 'administrator'))
    return <EmptyState title={texts.title}>{texts.administratorsOnly}</EmptyState>
  return <Audit />
}

function Audit() {
  const api = useApi()
  const cursor = useCursor()
  const audit = useQuery(api.query<AuditPage>('/audit', { cursor: cursor.at, limit: 50 }))
  const rows = audit.data?.items.map((item, index) => ({ ...item, id: `${cursor.at ?? ''}${index}` }))
  const columns: Column<Entry>[] = [
    { id: 'at', header: texts.columns.at, cell: ({ at }) => <RelativeTime at={at} />, width: 160 },
    { id: 'actor', header: texts.columns.actor, cell: nameOf },
    { id: 'action', header: texts.columns.action, cell: ({ action }) => inWords(action) },
    {
      id: 'subject',
      header: texts.columns.subject,
      cell: ({ subject }) => (
        <span className="mono" style={{ display: 'inline-block', minWidth: 200, overflowWrap: 'anywhere' }}>
          {subject || '–'}
        </span>
      ),
    },
  ]
  return (
    <Panel title={texts.title} description={texts.text}>
      {audit.isError ? (
        <QueryFailure query={audit} />
      ) : (
        <DataTable
          label={texts.title}
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          paging={cursor.paging(audit.data?.next)}
          empty={<EmptyState title={texts.none} />}
        />
      )}
    </Panel>
  )
}

/** Former members have no name; shows the end of their id. */
function nameOf({ actor, actor_name: name }: Entry): string {
  const [kind, id = ''] = actor.split(':')
  if (kind === 'operator') return texts.operator
  if (kind === 'key') return `${texts.key} ${name ?? id.slice(-8)}`
  return name ?? (kind === 'person' ? `${texts.someone} ${id.slice(-8)}` : actor)
}

/** `create_key` becomes "create key". */
function inWords(action: string): string {
  return action.replaceAll('_', ' ')
}
