import { Alert, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { IconEye, IconInfoCircle } from '@tabler/icons-react'
import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormErrors } from '../../../components/form-errors.tsx'
import { errorText } from '../../../components/notices.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { may } from '../../../service/types.ts'
import { roleTexts } from '../../../texts/roles.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { DocumentPage } from '../../jobs/types.ts'
import { useRuns } from '../queries.ts'
import { PreviewResult } from './preview-result.tsx'
import type { PreviewResponse } from './types.ts'

const texts = workflowsTexts.preview

/** The output of each node, before anything is written. */
export function Preview({ workflow, unsaved }: { workflow: Workflow | undefined; unsaved: boolean }) {
  const { role } = useWorkspace()
  if (!workflow) return <Hint>{texts.notSaved}</Hint>
  if (!may(role, 'developer')) return <Hint>{workflowsTexts.needsDeveloper(roleTexts[role].name)}</Hint>
  if (workflow.sources.length === 0) return <Hint>{texts.noSource}</Hint>
  return <PreviewForm workflow={workflow} unsaved={unsaved} />
}

const FIRST_DOCUMENTS = ''

function PreviewForm({ workflow, unsaved }: { workflow: Workflow; unsaved: boolean }) {
  const api = useApi()
  const lastDocuments = useLastDocuments(workflow.id)
  const [recordId, setRecordId] = useState(FIRST_DOCUMENTS)
  const preview = useMutation({
    mutationFn: () =>
      api.post<PreviewResponse>(
        `/workflows/${workflow.id}/preview`,
        recordId === FIRST_DOCUMENTS ? { limit: 3 } : { record_ids: [recordId] },
      ),
  })
  return (
    <Stack gap="md">
      <Panel title={workflowsTexts.editor.views.preview} description={texts.about}>
        <Group align="flex-end" gap="sm">
          <Select
            label={texts.choice}
            w={{ base: '100%', sm: 400 }}
            data={[
              { value: FIRST_DOCUMENTS, label: texts.first },
              { group: texts.fromLastRun, items: lastDocuments },
            ]}
            value={recordId}
            allowDeselect={false}
            searchable
            onChange={(id) => setRecordId(id ?? FIRST_DOCUMENTS)}
          />
          <Button
            leftSection={<IconEye size={16} />}
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            {preview.data ? texts.again : texts.start}
          </Button>
        </Group>
        {unsaved ? (
          <Text size="sm" c="dimmed" mt="sm">
            {texts.unsaved}
          </Text>
        ) : null}
      </Panel>
      <FormErrors failure={preview.error ? errorText(preview.error) : undefined} />
      <div role="status">
        {preview.isPending ? <Text c="dimmed">{texts.waiting}</Text> : null}
        {preview.data?.documents.length === 0 ? <Text>{texts.none}</Text> : null}
      </div>
      {preview.isPending ? <Skeleton height={320} /> : null}
      {preview.data && preview.data.documents.length > 0 ? (
        <PreviewResult
          key={preview.submittedAt}
          documents={preview.data.documents}
          sourceId={workflow.sources[0]}
          workflow={{ id: workflow.id, destinationId: workflow.destinations[0] }}
        />
      ) : null}
    </Stack>
  )
}

/** The documents of the last run; none before the first run. */
function useLastDocuments(workflowId: string): { value: string; label: string }[] {
  const api = useApi()
  const last = useRuns(workflowId).data?.[0]
  const query = api.query<DocumentPage>(`/jobs/${last?.job_id}/documents`, { limit: 100 })
  const { data } = useQuery({ ...query, queryFn: last ? query.queryFn : skipToken })
  return (data?.items ?? [])
    .filter(({ state }) => state !== 'removed')
    .map(({ record_id: id, title }) => ({ value: id, label: title || id }))
}

function Hint({ children }: { children: string }) {
  return (
    <Alert variant="outline" icon={<IconInfoCircle size={18} />}>
      {children}
    </Alert>
  )
}
