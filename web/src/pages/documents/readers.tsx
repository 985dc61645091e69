import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Principal } from '../../components/principal.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { documentTexts } from '../../texts/documents.ts'
import type { ReadersResponse } from '../lab/types.ts'
import classes from './document.module.css'

const texts = documentTexts.readers

type Named = { id: string; name: string | null }

// Enough for a glance; the access lab lists all.
const SHOWN = 12

/** The people and groups that pass every level, by name. */
export function NamedReaders({ recordId, destinationId }: { recordId: string; destinationId: string }) {
  const readers = useQuery({
    ...useApi().query<ReadersResponse>(`/destinations/${destinationId}/readers`, { record_id: recordId }),
    retry: false,
  })
  if (readers.isError) return <QueryFailure query={readers} />
  if (!readers.data) return <Skeleton height={96} role="img" aria-label={texts.loadingWho} />
  const { everyone, groups, people, total_people: totalPeople, complete, reason } = readers.data
  return (
    <Stack gap={4}>
      <Title order={2} size="h3">
        {texts.who}
      </Title>
      {everyone ? (
        <Text size="sm">
          <Principal token={everyone} destinationId={destinationId} />
        </Text>
      ) : null}
      <Names kind="group" entries={groups} total={groups.length} destinationId={destinationId} />
      <Names
        kind="user"
        entries={people}
        total={totalPeople ?? people.length}
        destinationId={destinationId}
      />
      {complete ? null : (
        <Text size="sm" c="dimmed">
          {reason ?? texts.incomplete}
        </Text>
      )}
    </Stack>
  )
}

type NamesProps = { kind: 'group' | 'user'; entries: Named[]; total: number; destinationId: string }

function Names({ kind, entries, total, destinationId }: NamesProps) {
  if (entries.length === 0) return null
  const shown = entries.slice(0, SHOWN)
  return (
    <div className={classes.names}>
      <Text span size="sm" c="dimmed">
        {kind === 'group' ? texts.whoGroups : texts.whoPeople}
      </Text>
      <ul>
        {shown.map(({ id, name }) => (
          <li key={id}>
            <Principal token={`${kind}:${id}`} name={name} destinationId={destinationId} bare />
          </li>
        ))}
        {total > shown.length ? <li>{texts.more(total - shown.length)}</li> : null}
      </ul>
    </div>
  )
}
