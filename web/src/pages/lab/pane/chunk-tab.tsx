import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useApi } from '../../../service/session.ts'
import { labTexts } from '../../../texts/lab.ts'
import { Marked } from '../excerpt.tsx'
import { markedText } from '../highlight.ts'
import { useLab } from '../lab-context.ts'
import { asPerson } from '../person.ts'
import type { ComparedDocument, SearchResults } from '../types.ts'
import classes from './pane.module.css'

const texts = labTexts.chunk
const MAX_CHUNKS = 3
const NEIGHBOURS = 2

/** The best chunks of the document between their neighbours, as a person who finds them. */
export function ChunkTab({ document }: { document: ComparedDocument }) {
  const api = useApi()
  const { address, destination, people } = useLab()
  const finder = people[document.people.findIndex(({ status }) => status === 'found')] ?? {}
  const path = `/destinations/${destination.id}/search`
  const body = {
    query: address.query,
    ...asPerson(finder),
    filters: {
      record_id: [document.record_id],
      ...(document.path_in_archive ? { path_in_archive: [document.path_in_archive] } : {}),
    },
    size: MAX_CHUNKS,
    neighbours: NEIGHBOURS,
  }
  const chunks = useQuery({
    queryKey: [...api.query(path).queryKey, body],
    queryFn: ({ signal }) => api.post<SearchResults>(path, body, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (chunks.isError) return <QueryFailure query={chunks} />
  if (!chunks.data) return <Skeleton height={200} role="img" aria-label={texts.loading} />
  if (chunks.data.hits.length === 0)
    return (
      <Alert variant="outline" color="var(--mr-warning)" p="sm" role="status">
        {texts.unknown}
      </Alert>
    )
  return (
    <Stack gap="lg">
      {chunks.data.hits.map(({ element_id: id, text, highlights, neighbours }) => (
        <div key={id} className={classes.chunks}>
          <Neighbours label={texts.before} elements={neighbours?.before ?? []} />
          <Text size="sm" dir="auto" className={classes.chunk}>
            <Marked pieces={markedText(text, highlights)} />
          </Text>
          <Neighbours label={texts.after} elements={neighbours?.after ?? []} />
        </div>
      ))}
    </Stack>
  )
}

type NeighboursProps = { label: string; elements: { element_id: string; text: string }[] }

function Neighbours({ label, elements }: NeighboursProps) {
  if (elements.length === 0) return null
  return (
    <section className={classes.neighbours} aria-label={label}>
      {elements.map(({ element_id: id, text }) => (
        <Text key={id} size="sm" c="dimmed" dir="auto" className={classes.text}>
          {text}
        </Text>
      ))}
    </section>
  )
}
