import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DocumentLink } from '../../../components/document-link.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { ApiError } from '../../../service/errors.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { may } from '../../../service/types.ts'
import { labTexts } from '../../../texts/lab.ts'
import { Marked } from '../excerpt.tsx'
import { markedText } from '../highlight.ts'
import { useLab } from '../lab-context.ts'
import { asPerson } from '../person.ts'
import type { ComparedDocument, Person, ReadDocument, SearchResults } from '../types.ts'
import classes from './pane.module.css'

const texts = labTexts.text
const MAX_PASSAGES = 3
const NEIGHBOURS = 2
const views = ['passages', 'document'] as const

type Props = { document: ComparedDocument; finder: Person }

/** The elements of a result, as a person who finds it: the best with their neighbours, or all. */
export function TextTab({ document }: Pick<Props, 'document'>) {
  const { people } = useLab()
  const isViewer = may(useWorkspace().role, 'viewer')
  const [view, setView] = useState<(typeof views)[number]>('passages')
  const finder = people[document.people.findIndex(({ status }) => status === 'found')] ?? {}
  const View = view === 'passages' ? Passages : WholeText
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          data={views.map((value) => ({ value, label: texts.views[value] }))}
          value={view}
          onChange={setView}
        />
        {isViewer ? (
          <DocumentLink recordId={document.record_id} size="sm">
            {labTexts.pane.documentPage}
          </DocumentLink>
        ) : null}
      </Group>
      <View document={document} finder={finder} />
    </Stack>
  )
}

function Passages({ document, finder }: Props) {
  const api = useApi()
  const { address, destination } = useLab()
  const path = `/destinations/${destination.id}/search`
  const body = {
    query: address.query,
    ...asPerson(finder),
    filters: {
      record_id: [document.record_id],
      ...(document.path_in_archive ? { path_in_archive: [document.path_in_archive] } : {}),
    },
    size: MAX_PASSAGES,
    neighbours: NEIGHBOURS,
  }
  const passages = useQuery({
    queryKey: [...api.query(path).queryKey, body],
    queryFn: ({ signal }) => api.post<SearchResults>(path, body, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <Loaded query={passages}>
      {({ hits }) =>
        hits.length === 0 ? (
          <Unreadable />
        ) : (
          <Stack gap="lg">
            {hits.map(({ element_id: id, text, highlights, neighbours }) => (
              <div key={id} className={classes.elements}>
                <Elements label={texts.before} elements={neighbours?.before ?? []} />
                <Text size="sm" dir="auto" className={classes.passage}>
                  <Marked pieces={markedText(text, highlights)} />
                </Text>
                <Elements label={texts.after} elements={neighbours?.after ?? []} />
              </div>
            ))}
          </Stack>
        )
      }
    </Loaded>
  )
}

function WholeText({ document: { record_id: recordId, path_in_archive: file }, finder }: Props) {
  const api = useApi()
  const { destination } = useLab()
  const path = `/destinations/${destination.id}/documents/${encodeURIComponent(recordId)}`
  const document = useInfiniteQuery({
    queryKey: [...api.query(path).queryKey, finder, file],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.get<ReadDocument>(`${path}${queryOf(finder, { cursor, file })}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (document.error instanceof ApiError && document.error.code === 'not_found') return <Unreadable />
  return (
    <Loaded query={document}>
      {({ pages }) => (
        <>
          <Elements label={texts.views.document} elements={pages.flatMap(({ elements }) => elements)} />
          {document.isFetchNextPageError ? <QueryFailure query={document} /> : null}
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
        </>
      )}
    </Loaded>
  )
}

type ElementsProps = { label: string; elements: { element_id: string; text: string; type?: string }[] }

function Elements({ label, elements }: ElementsProps) {
  if (elements.length === 0) return null
  return (
    <section className={classes.elements} aria-label={label}>
      {elements.map(({ element_id: id, text, type }, index) => (
        <Text
          // biome-ignore lint/suspicious/noArrayIndexKey: equal texts share an id.
          key={`${id} ${index}`}
          size="sm"
          dir="auto"
          className={classes.text}
          {...(type === undefined ? { c: 'dimmed' } : type === 'Title' ? { fw: 600 } : {})}
        >
          {text}
        </Text>
      ))}
    </section>
  )
}

function Unreadable() {
  return (
    <Alert variant="outline" color="var(--mr-warning)" p="sm" role="status">
      {texts.unknown}
    </Alert>
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
