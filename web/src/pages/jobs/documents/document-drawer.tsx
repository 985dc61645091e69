import { Alert, Anchor, Button, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconDownload, IconExternalLink } from '@tabler/icons-react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { DataList } from '../../../components/data-list.tsx'
import { DocumentLink } from '../../../components/document-link.tsx'
import { isOpenable } from '../../../components/openable.ts'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { count } from '../../../texts/times.ts'
import { errorFix, errorName, sentence } from '../error-advice.ts'
import { hasNoWorkflow, type JobDocument } from '../types.ts'

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

/** The result of one document in this run. */
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
      {hasNoWorkflow(job) ? null : (
        <DocumentLink recordId={recordId} workflowId={job.workflow_id}>
          {texts.openDocument}
        </DocumentLink>
      )}
      {document ? <ThisRun document={document} terms={terms} /> : null}
      {job.output_node_files?.some((output) => output.file_id === recordId) ? (
        <DownloadElements job={job} fileId={recordId} />
      ) : null}
    </Stack>
  )
}

/** The elements of an uploaded file. */
function DownloadElements({ job, fileId }: { job: Job; fileId: string }) {
  const api = useApi()
  const download = useAction(async () => {
    const response = await api.open(`/jobs/${job.id}/download`, { query: { file_id: fileId } })
    saveFile(await response.blob(), `${fileId}.json`)
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
