import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { homeTexts } from '../../texts/home.ts'
import { PreviewResult } from '../workflows/preview/preview-result.tsx'
import type { PreviewResponse } from '../workflows/preview/types.ts'

const texts = homeTexts.sample.pages
const PREVIEW_PAGES = 10

/** A preview of a few pages with their readers. */
export function SamplePages({ sourceId, names }: { sourceId: string; names: ReadonlyMap<string, string> }) {
  const api = useApi()
  const path = `/sources/${sourceId}/preview`
  const preview = useQuery({
    ...api.query<PreviewResponse>(path),
    queryFn: ({ signal }) => api.post<PreviewResponse>(path, { limit: PREVIEW_PAGES }, { signal }),
    // Sample pages never change.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Panel title={texts.title} description={texts.description}>
      <div role="status">{preview.isPending ? <Text c="dimmed">{texts.waiting}</Text> : null}</div>
      {preview.isPending ? <Skeleton height={320} mt="sm" /> : null}
      {preview.isError ? <QueryFailure query={preview} /> : null}
      {preview.data ? (
        <PreviewResult documents={preview.data.documents} names={names} sourceId={sourceId} level={3} />
      ) : null}
    </Panel>
  )
}
