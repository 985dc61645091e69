import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DataList } from '../../components/data-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useApi } from '../../service/session.ts'
import type { ResponseOf, Workflow } from '../../service/types.ts'
import { count, duration } from '../../texts/times.ts'
import { workflowsTexts } from '../../texts/workflows.ts'

const texts = workflowsTexts.estimate

type Estimate = ResponseOf<'POST /api/v1/workflows/{id}/estimate'>

// The source counts again only after a while.
const FRESH_MS = 60_000

type Props = { workflow: Workflow; found: number | undefined }

/** What the next run will read, with what the last one found. */
export function EstimatedRun({ workflow: { id }, found }: Props) {
  const api = useApi()
  const path = `/workflows/${id}/estimate`
  const estimate = useQuery({
    queryKey: api.query(path).queryKey,
    queryFn: ({ signal }) => api.post<Estimate>(path, undefined, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  })
  return (
    <Loaded query={estimate} size={96}>
      {({ documents, elements, seconds, basis, limited }) => (
        <Stack gap="sm">
          <DataList
            entries={[
              [texts.documents, about(documents, count, found !== undefined && texts.lastRun(count(found)))],
              [
                texts.elements,
                about(elements, count, basis.documents > 0 && texts.fromDocuments(count(basis.documents))),
              ],
              [
                texts.time,
                about(
                  seconds,
                  (value) => duration(value * 1000),
                  basis.runs > 0 && texts.fromRuns(basis.runs),
                ),
              ],
            ]}
          />
          {limited ? (
            <Alert variant="outline" color="var(--mr-warning)" icon={<IconAlertTriangle size={18} />} p="sm">
              {texts.limited}
            </Alert>
          ) : null}
        </Stack>
      )}
    </Loaded>
  )
}

function about(value: number | null, text: (value: number) => string, basis: string | false) {
  return (
    <>
      {value === null ? texts.unknown : texts.about(text(value))}{' '}
      {basis ? (
        <Text span size="xs" c="dimmed">
          {basis}
        </Text>
      ) : null}
    </>
  )
}
