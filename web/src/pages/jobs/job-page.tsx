import { Group, Stack, Tabs, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CopyButton } from '../../components/copy-button.tsx'
import { TextLink } from '../../components/links.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ApiError } from '../../service/errors.ts'
import { useWorkspace } from '../../service/session.ts'
import { jobsTexts, jobTexts as texts } from '../../texts/jobs.ts'
import { DocumentsTab } from './documents/documents-tab.tsx'
import { Failure } from './failure.tsx'
import { JobActions } from './job-actions.tsx'
import { useJobAddress } from './job-address.ts'
import { JobState } from './job-state.tsx'
import { type LiveJob, useLiveJob } from './live-job.ts'
import { LogTab } from './log/log-tab.tsx'
import { Elapsed } from './overview/elapsed.tsx'
import { HeldBack } from './overview/held-back.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { hasNoWorkflow, jobTabs } from './types.ts'

const PATH = '/w/$workspaceId/jobs/$jobId'

export function JobPage() {
  const { jobId } = useParams({ from: `/signed-in${PATH}` })
  const { live, failure } = useLiveJob(jobId)
  if (failure?.error instanceof ApiError && failure.error.status === 404) return <NotFound />
  if (failure && !live) return <QueryFailure query={failure} />
  if (!live) return <PageSkeleton />
  return <JobView key={jobId} live={live} />
}

const panels = { overview: OverviewTab, documents: DocumentsTab, log: LogTab }

function JobView({ live }: { live: LiveJob }) {
  const { id: workspaceId } = useWorkspace()
  const { tab = 'overview' } = useJobAddress().search
  const navigate = useNavigate()
  const { job, details } = live
  const open = (tabName: string | null) =>
    navigate({
      to: PATH,
      params: { workspaceId, jobId: job.id },
      search: { tab: jobTabs.find((each) => each === tabName && each !== 'overview') },
    })
  const Shown = panels[tab]
  return (
    <>
      <Text size="sm" mb={4}>
        <TextLink to="/w/$workspaceId/jobs" params={{ workspaceId }}>
          {jobsTexts.title}
        </TextLink>
      </Text>
      <PageHeader
        title={job.workflow_name}
        aside={<JobState job={details} />}
        description={<Facts live={live} />}
        actions={<JobActions live={live} />}
      />
      <Stack gap="lg">
        <Failure live={live} />
        <HeldBack live={live} />
        <Tabs value={tab} onChange={open} keepMounted={false}>
          <Tabs.List aria-label={texts.tabs.label} mb="lg">
            {jobTabs.map((each) => (
              <Tabs.Tab key={each} value={each} px={{ base: 8, xs: 'md' }}>
                {texts.tabs[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab}>
            <Shown live={live} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  )
}

function Facts({ live }: { live: LiveJob }) {
  const { id: workspaceId } = useWorkspace()
  const { job, mode } = live
  return (
    <Group component="span" gap="4px 16px">
      {job.kind === 'verify' ? (
        <TextLink
          to="/w/$workspaceId/connectors/$kind/$connectorId"
          params={{ workspaceId, kind: 'destination', connectorId: job.workflow_id }}
        >
          {texts.openDestination}
        </TextLink>
      ) : hasNoWorkflow(job) ? (
        <span>{texts.uploadedFiles}</span>
      ) : (
        <TextLink
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId, workflowId: job.workflow_id }}
        >
          {texts.openWorkflow}
        </TextLink>
      )}
      <span>
        {texts.started} <RelativeTime at={job.created_at} />{' '}
        {texts.by[job.started_by.kind](job.started_by.name)}
      </span>
      <Elapsed live={live} />
      {mode === 'ended' ? null : <span>{mode === 'stream' ? texts.live : texts.polling}</span>}
      <Group component="span" gap={4} wrap="nowrap">
        <span className="mono">{job.id.slice(0, 8)}</span>
        <CopyButton text={job.id} what={texts.id} />
      </Group>
    </Group>
  )
}
