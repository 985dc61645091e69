import { Alert, Anchor, Button, Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconDownload, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../components/copy-button.tsx'
import { DataList } from '../../../components/data-list.tsx'
import { isOpenable } from '../../../components/openable.ts'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { save } from '../../../service/save.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { count } from '../../../texts/times.ts'
import { errorFix, errorName, sentence } from '../error-advice.ts'
import { type HistoryEntry, isOnDemand, type JobDocument } from '../types.ts'
import { DocumentHistory } from './document-history.tsx'

const texts = jobTexts.drawer

type Props = {
  job: Job
  /** Undefined: closed. */
  recordId: string | undefined
  /** Undefined if the current page does not list it. */
  document: JobDocument | undefined
  terms: Terms
  onClose: () => void
}

/** One document: its result in this run and in others. */
export function DocumentDrawer({ job, recordId, document, terms, onClose }: Props) {
  return (
    <Drawer
      opened={recordId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={document?.title || recordId}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
      styles={{ title: { fontWeight: 600, overflowWrap: 'anywhere' } }}
    >
      {recordId ? <Content job={job} recordId={recordId} document={document} terms={terms} /> : null}
    </Drawer>
  )
}

function Content({ job, recordId, document, terms }: Omit<Props, 'onClose'> & { recordId: string }) {
  return (
    <Stack gap="lg">
      {document ? <ThisRun document={document} terms={terms} /> : null}
      {job.output_node_files?.some((output) => output.file_id === recordId) ? (
        <Elements job={job} fileId={recordId} />
      ) : null}
      {isOnDemand(job) ? null : <History job={job} recordId={recordId} />}
    </Stack>
  )
}

/** The elements of an uploaded file. */
function Elements({ job, fileId }: { job: Job; fileId: string }) {
  const api = useApi()
  const download = useAction(async () => {
    const response = await api.open(`/jobs/${job.id}/download`, { query: { file_id: fileId } })
    save(await response.blob(), `${fileId}.json`)
  })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      {texts.download}
    </Button>
  )
}

function History({ job, recordId }: { job: Job; recordId: string }) {
  const api = useApi()
  const history = useQuery(
    api.query<HistoryEntry[]>(`/workflows/${job.workflow_id}/documents`, { record_id: recordId }),
  )
  return (
    <Stack gap="xs">
      <Title order={3}>{texts.history}</Title>
      <Text size="sm" c="dimmed">
        {texts.historyText}
      </Text>
      {history.isError ? (
        <QueryFailure query={history} />
      ) : history.data ? (
        <DocumentHistory entries={history.data} jobId={job.id} />
      ) : (
        <Skeleton height={120} />
      )}
    </Stack>
  )
}

function ThisRun({ document, terms }: { document: JobDocument; terms: Terms }) {
  const { record_id: id, url, state, elements, attempts, updated_at: at, error, warnings = [] } = document
  return (
    <>
      {isOpenable(url) ? (
        <Anchor href={url} target="_blank" rel="noopener noreferrer">
          <Group component="span" gap={4}>
            <IconExternalLink size={16} aria-hidden="true" />
            {texts.open(terms.system)}
          </Group>
        </Anchor>
      ) : null}
      {error ? <Reason error={error} state={state} /> : null}
      <DataList
        entries={[
          [texts.state, <StateBadge key="state" state={state} />],
          [
            texts.record,
            <Group key="record" gap={4}>
              <span className="mono">{id}</span>
              <CopyButton text={id} what={texts.copyRecord} />
            </Group>,
          ],
          [texts.elements, elements === null ? '–' : count(elements)],
          [texts.attempts, attempts],
          [texts.updated, <RelativeTime key="updated" at={at} />],
        ]}
      />
      {warnings.length > 0 ? (
        <Stack gap={4}>
          <Title order={3}>{texts.warnings}</Title>
          {warnings.map(({ code, message }) => (
            <Text key={`${code} ${message}`}>{sentence(message)}</Text>
          ))}
        </Stack>
      ) : null}
    </>
  )
}

function Reason({ error, state }: { error: NonNullable<JobDocument['error']>; state: string }) {
  const fix = errorFix(error.code)
  const failed = state === 'failed'
  return (
    <Alert
      variant="outline"
      color={failed ? 'var(--mr-bad)' : 'var(--mr-warning)'}
      icon={<IconAlertTriangle size={18} />}
      title={`${failed ? texts.error : texts.skipped}: ${errorName(error.code)}`}
    >
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {sentence(error.message)}
        </Text>
        {fix ? (
          <Text size="sm">
            <Text span inherit fw={600}>
              {texts.fix}
            </Text>{' '}
            {fix}
          </Text>
        ) : null}
      </Stack>
    </Alert>
  )
}
