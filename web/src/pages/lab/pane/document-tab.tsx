import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DocumentLink } from '../../../components/document-link.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { ApiError } from '../../../service/errors.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { may } from '../../../service/types.ts'
import { labTexts } from '../../../texts/lab.ts'
import { useLab } from '../lab-context.ts'
import type { PaneProps, Person, ReadDocument } from '../types.ts'
import classes from './pane.module.css'
import { PersonSelect } from './person-select.tsx'

const texts = labTexts.document

/** The text of the document, as a person who may read it. */
export function DocumentTab({ document, names }: PaneProps) {
  const { people } = useLab()
  const isViewer = may(useWorkspace().role, 'viewer')
  const finders = document.people.flatMap(({ status }, index) => (status === 'found' ? [index] : []))
  const [chosen, setChosen] = useState(finders[0] ?? 0)
  return (
    <Stack gap="sm">
      <PersonSelect
        label={labTexts.pane.as}
        names={names}
        among={finders}
        value={chosen}
        onChange={setChosen}
      />
      {isViewer ? (
        <DocumentLink recordId={document.record_id} size="sm">
          {labTexts.pane.documentPage}
        </DocumentLink>
      ) : null}
      <DocumentText document={document} person={people[chosen] ?? {}} />
    </Stack>
  )
}

function DocumentText({ document: of, person }: Pick<PaneProps, 'document'> & { person: Person }) {
  const api = useApi()
  const { destination } = useLab()
  const path = `/destinations/${destination.id}/documents/${encodeURIComponent(of.record_id)}`
  const document = useInfiniteQuery({
    queryKey: [...api.query(path).queryKey, person, of.path_in_archive],
    queryFn: ({ pageParam, signal }) =>
      api.get<ReadDocument>(`${path}${queryOf(person, { cursor: pageParam, file: of.path_in_archive })}`, {
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (document.error instanceof ApiError && document.error.code === 'not_found')
    return (
      <Alert variant="outline" color="var(--mr-warning)" p="sm" role="status">
        {texts.unknown}
      </Alert>
    )
  if (document.isError) return <QueryFailure query={document} />
  if (!document.data) return <Skeleton height={240} role="img" aria-label={texts.loading} />
  const elements = document.data.pages.flatMap((page) => page.elements)
  return (
    <Stack gap="sm">
      {elements.map(({ element_id: id, text, type }) => (
        <Text key={id} dir="auto" className={classes.text} {...(type === 'Title' ? { fw: 600 } : {})}>
          {text}
        </Text>
      ))}
      {elements.length === 0 ? <Text c="dimmed">{texts.empty}</Text> : null}
      {document.hasNextPage ? (
        <Group>
          <Button
            variant="default"
            loading={document.isFetchingNextPage}
            onClick={() => document.fetchNextPage()}
          >
            {texts.more}
          </Button>
        </Group>
      ) : null}
    </Stack>
  )
}

/** Groups repeat in the address, so the query is written here. */
function queryOf(
  { user, groups = [] }: Person,
  { cursor, file }: { cursor: string | null; file: string | null },
): string {
  const query = new URLSearchParams([
    ...(user ? [['user', user] as [string, string]] : []),
    ...groups.map((group): [string, string] => ['groups', group]),
    ...(cursor ? [['cursor', cursor] as [string, string]] : []),
    ...(file ? [['path_in_archive', file] as [string, string]] : []),
  ])
  return query.size > 0 ? `?${query}` : ''
}
