import { ActionIcon, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { Column } from '../../../components/data-table.tsx'
import { DocumentLink } from '../../../components/document-link.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { stateTexts } from '../../../texts/states.ts'
import { count } from '../../../texts/times.ts'
import { errorWords } from '../error-advice.ts'
import { hasNoWorkflow, type JobDetails, type JobDocument } from '../types.ts'

const texts = jobTexts.documents

/** The columns that the service can sort by. */
export function documentColumns(job: Job, { settings }: JobDetails): Column<JobDocument>[] {
  const changed = settings.reprocess_all ? texts.reprocessed : undefined
  return [
    ...resultColumns(job, changed).map((column) => ({ ...column, serverSort: column.id !== 'error' })),
    {
      id: 'elements',
      serverSort: true,
      header: texts.elements,
      align: 'end',
      hideOnPhone: true,
      cell: ({ elements }) => (elements === null ? <NoValue /> : count(elements)),
    },
    {
      id: 'updated_at',
      serverSort: true,
      header: texts.updated,
      hideOnPhone: true,
      width: 144,
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
  ]
}

type Result = Pick<JobDocument, 'record_id' | 'title' | 'state'> & {
  error?: { code: string } | null | undefined
}

/** Each document, what happened to it, and why it failed. */
export function resultColumns(job: Job, changed = stateTexts.changed): Column<Result>[] {
  return [
    {
      id: 'title',
      card: 'title',
      header: texts.title,
      cell: ({ record_id: id, title }) =>
        hasNoWorkflow(job) ? (
          <File job={job} id={id} title={title || id} />
        ) : (
          <DocumentLink recordId={id} workflowId={job.workflow_id} fw={500}>
            {title}
          </DocumentLink>
        ),
    },
    {
      id: 'state',
      header: texts.state,
      card: 'state',
      width: 176,
      cell: ({ state }) =>
        state === 'changed' ? <StateBadge state={state} label={changed} /> : <StateBadge state={state} />,
    },
    { id: 'error', header: texts.error, cell: ({ error }) => <DocumentError code={error?.code} /> },
  ]
}

/** An uploaded file has no screen of its own, but its elements can be downloaded. */
function File({ job, id, title }: { job: Job; id: string; title: string }) {
  const api = useApi()
  const download = useAction(async () => {
    const response = await api.open(`/jobs/${job.id}/download`, { query: { file_id: id } })
    saveFile(await response.blob(), `${id}.json`)
  })
  return (
    <Group gap={4}>
      <span>{title}</span>
      {job.output_node_files?.some((output) => output.file_id === id) ? (
        <ActionIcon
          variant="subtle"
          aria-label={texts.download(title)}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          <IconDownload size={16} />
        </ActionIcon>
      ) : null}
    </Group>
  )
}

function DocumentError({ code }: { code: string | undefined }) {
  if (code === undefined) return <NoValue />
  const { name, fix } = errorWords(code)
  return (
    <>
      {name}
      <Text size="sm" c="dimmed">
        {fix}
      </Text>
    </>
  )
}

function NoValue() {
  return (
    <Text span inherit c="dimmed" data-no-value>
      –
    </Text>
  )
}
