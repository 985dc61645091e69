import { Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Principal } from '../../../components/principal.tsx'
import { classWords, principalOf } from '../../../components/principal-token.ts'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useApi } from '../../../service/session.ts'
import { labTexts } from '../../../texts/lab.ts'
import { useLab } from '../lab-context.ts'
import { PrincipalList } from '../principal-list.tsx'
import type { ComparedDocument, ReadersResponse } from '../types.ts'
import classes from './pane.module.css'

const texts = labTexts.access
/** Above this, a field narrows the list. */
const MANY = 10

/** Who can read the document, with the path that lets each person and group in. */
export function AccessTab({ document: { record_id: recordId } }: { document: ComparedDocument }) {
  const { destination } = useLab()
  const readers = useQuery({
    ...useApi().query<ReadersResponse>(`/destinations/${destination.id}/readers`, { record_id: recordId }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (readers.isError) return <QueryFailure query={readers} />
  if (!readers.data) return <Skeleton height={160} role="img" aria-label={texts.loading} />
  return <ReaderList readers={readers.data} />
}

function ReaderList({ readers }: { readers: ReadersResponse }) {
  const { destination, terms } = useLab()
  const [typed, setTyped] = useState('')
  const { everyone, total_people: total, complete, reason } = readers
  const matches = ({ id, name }: { id: string; name: string | null }) =>
    `${name ?? ''} ${id}`.toLowerCase().includes(typed.trim().toLowerCase())
  const groups = readers.groups.filter(matches)
  const people = readers.people.filter(matches)
  const isEmpty = !everyone && readers.groups.length === 0 && readers.people.length === 0
  const wordsOf = ({ level, title, id }: ReadersResponse['groups'][number]['through'][number]) =>
    `${labTexts.proof.pass[level](terms).toLowerCase()} ${title ?? id ?? ''}`.trim()
  return (
    <Stack gap="sm">
      <Title order={3}>{texts.title}</Title>
      {everyone ? <Text size="sm">{texts.everyone(classWords(principalOf(everyone).id))}</Text> : null}
      {isEmpty ? <Text size="sm">{texts.none}</Text> : null}
      {complete ? null : (
        <Text size="sm" c="var(--mr-warning)">
          {texts.incomplete} {reason}
        </Text>
      )}
      {readers.levels.length > 0 ? (
        <div>
          <Text size="sm" mb={4}>
            {texts.levels}
          </Text>
          <ol className={classes.levels}>
            {readers.levels.map((level) => (
              <li key={wordsOf(level)}>
                {labTexts.proof.pass[level.level](terms)} <strong>{level.title ?? level.id}</strong>:{' '}
                <PrincipalList principals={level.principals} />
              </li>
            ))}
          </ol>
        </div>
      ) : null}
      {readers.groups.length + readers.people.length > MANY ? (
        <TextInput
          aria-label={texts.find}
          placeholder={texts.find}
          size="xs"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <Named title={texts.groups(readers.groups.length)} isShown={readers.groups.length > 0}>
        {groups.map(({ id, name, through }) => (
          <li key={id}>
            <Principal token={`group:${id}`} destinationId={destination.id} name={name} bare />{' '}
            <Text span size="sm" c="dimmed">
              {texts.named} {through.map(wordsOf).join(', ')}
            </Text>
          </li>
        ))}
      </Named>
      <Named
        title={
          total > readers.people.length
            ? texts.peopleShown(readers.people.length, total)
            : texts.people(readers.people.length)
        }
        isShown={readers.people.length > 0}
      >
        {people.map(({ id, name, through }) => (
          <li key={id}>
            <Principal token={`user:${id}`} destinationId={destination.id} name={name} bare />{' '}
            <Text span size="sm" c="dimmed">
              {texts.through}{' '}
              {through.map((path, index) => (
                <span key={`${path.level} ${path.id}`}>
                  {index > 0 ? ', ' : ''}
                  <Principal token={path.by} destinationId={destination.id} name={path.by_name} plain />{' '}
                  {texts.of} {wordsOf(path)}
                </span>
              ))}
            </Text>
          </li>
        ))}
      </Named>
      <Text size="sm" c="dimmed">
        {texts.asOf} <RelativeTime at={readers.as_of} />.
      </Text>
    </Stack>
  )
}

function Named({ title, isShown, children }: { title: string; isShown: boolean; children: ReactNode }) {
  if (!isShown) return null
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <ul className={classes.readers}>{children}</ul>
    </div>
  )
}
