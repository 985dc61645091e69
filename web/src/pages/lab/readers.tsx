import { Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { Principal } from '../../components/principal.tsx'
import { classWords, principalOf } from '../../components/principal-token.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useApi } from '../../service/session.ts'
import { labTexts } from '../../texts/lab.ts'
import type { Terms } from '../../texts/nouns.ts'
import { PrincipalList } from './principal-list.tsx'
import classes from './readers.module.css'
import type { ReadersResponse } from './types.ts'

const texts = labTexts.access
/** Above this, a field narrows the list. */
const MANY = 10

type Props = { recordId: string; destinationId: string; terms: Terms }

/** Who can read a document, with the path that lets each person and group in. */
export function Readers({ recordId, ...of }: Props) {
  const readers = useQuery({
    ...useApi().query<ReadersResponse>(`/destinations/${of.destinationId}/readers`, { record_id: recordId }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <Loaded query={readers} size={160}>
      {(found) => <ReaderList readers={found} {...of} />}
    </Loaded>
  )
}

type ListProps = Omit<Props, 'recordId'> & { readers: ReadersResponse }

function ReaderList({ readers, destinationId, terms }: ListProps) {
  const [typed, setTyped] = useState('')
  const { everyone, total_people: total, complete, reason } = readers
  const matches = ({ id, name }: { id: string; name: string | null }) =>
    `${name ?? ''} ${id}`.toLowerCase().includes(typed.trim().toLowerCase())
  const groups = readers.groups.filter(matches)
  const people = readers.people.filter(matches)
  const isEmpty = !everyone && readers.groups.length === 0 && readers.people.length === 0
  const wordsOf = ({ level, title, id }: ReadersResponse['groups'][number]['through'][number]) =>
    texts.level(labTexts.proof.pass[level](terms), title ?? id ?? '').trim()
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
                <PrincipalList principals={level.principals} destinationId={destinationId} />
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
            <Principal token={`group:${id}`} destinationId={destinationId} name={name} bare />{' '}
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
            <Principal token={`user:${id}`} destinationId={destinationId} name={name} bare />{' '}
            <Text span size="sm" c="dimmed">
              {texts.through}{' '}
              {through.map((path, index) => (
                <span key={`${path.level} ${path.id}`}>
                  {index > 0 ? ', ' : ''}
                  <Principal token={path.by} destinationId={destinationId} name={path.by_name} plain />{' '}
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
