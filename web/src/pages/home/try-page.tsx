import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useAction } from '../../service/action.ts'
import { basePath } from '../../service/base-path.ts'
import { ApiError } from '../../service/errors.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { type Job, may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { tryTexts } from '../../texts/try.ts'
import { type LiveJob, useLiveJob } from '../jobs/live-job.ts'
import { Stages } from '../jobs/overview/stages.tsx'

const texts = tryTexts.page
const PATH = '/w/$workspaceId/try'
const SEARCH_PATH = '/w/$workspaceId/search'

/** The address holds the run and the search to open, so that a reload continues. */
export function TryPage() {
  const { job } = useSearch({ from: `/signed-in${PATH}` })
  return job ? <SampleRun key={job} jobId={job} /> : <NotFound />
}

function SampleRun({ jobId }: { jobId: string }) {
  const { live, failure } = useLiveJob(jobId)
  const { role } = useWorkspace()
  if (failure?.error instanceof ApiError && failure.error.status === 404) return <NotFound />
  return (
    <>
      <PageHeader
        title={tryTexts.title}
        description={may(role, 'administrator') ? texts.description : texts.otherDescription}
        aside={live ? <StateBadge state={live.details.processing_status} /> : null}
        actions={<OpenJob jobId={jobId} />}
      />
      {failure && !live ? <QueryFailure query={failure} /> : null}
      {live ? <Progress live={live} /> : failure ? null : <PageSkeleton />}
    </>
  )
}

function OpenJob({ jobId }: { jobId: string }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <ButtonLink variant="default" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId }}>
      {texts.job}
    </ButtonLink>
  )
}

function Progress({ live }: { live: LiveJob }) {
  const { role } = useWorkspace()
  const { workflow_id: workflowId } = live.job
  const outcome = outcomeOf(live.job)
  const isReady = outcome === 'ready'
  const mayName = may(role, 'administrator')
  return (
    <Stack gap="lg">
      {isReady && mayName ? <SearchRedirect /> : null}
      {isReady && !mayName ? <Ready /> : null}
      {outcome === 'failed' ? <Failed workflowId={workflowId} message={live.details.message} /> : null}
      {outcome === 'running' ? (
        <Text className="figures">
          {texts.run(live.details.counts.discovered, live.details.summary.total_docs)}
        </Text>
      ) : null}
      <Stages live={live} />
    </Stack>
  )
}

/** A run in which documents failed may have filled nothing, as with a full sandbox. */
function outcomeOf({ status, processing_status: result }: Job): 'ready' | 'failed' | 'running' {
  if (result === 'COMPLETED_WITH_ERRORS' || status === 'FAILED' || status === 'STOPPED') return 'failed'
  return status === 'COMPLETED' ? 'ready' : 'running'
}

function useSearchOfTry() {
  const { destination, query, user, user2 } = useSearch({ from: `/signed-in${PATH}` })
  return { destination, query, user, user2, two: user2 ? true : undefined }
}

/** Replaces this screen, so that going back does not open the search again. */
function SearchRedirect() {
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const search = useSearchOfTry()
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once.
  useEffect(() => {
    void navigate({ to: SEARCH_PATH, params: { workspaceId }, search, replace: true })
  }, [])
  return null
}

/** Only administrators search as other people. */
function Ready() {
  const { id: workspaceId, role } = useWorkspace()
  const { destination = '', query = '', user = '', user2 = '' } = useSearchOfTry()
  const parameters = new URLSearchParams({ destination, query, user, user2, two: 'true' })
  const address = new URL(`${basePath}/w/${workspaceId}/search?${parameters}`, window.location.href).href
  return (
    <Alert variant="outline" icon={<IconCircleCheck size={18} />} title={texts.readyTitle} role="status">
      <Group gap="sm">
        <Text size="sm" flex="1 1 280px">
          {texts.needsAdministrator(roleTexts[role].name)}
        </Text>
        <CopyButton text={address} what={texts.searchLink} labelled />
      </Group>
    </Alert>
  )
}

function Failed({ workflowId, message }: { workflowId: string; message: string | null }) {
  const { id: workspaceId, role } = useWorkspace()
  const api = useApi()
  const navigate = useNavigate()
  const rerun = useAction(() => api.post<Job>(`/workflows/${workflowId}/run`), {
    refreshes: ['/jobs'],
    onSuccess: ({ id: job }) =>
      navigate({ to: PATH, params: { workspaceId }, search: (now) => ({ ...now, job }), replace: true }),
  })
  return (
    <Alert
      variant="outline"
      color="var(--mr-bad)"
      icon={<IconAlertTriangle size={18} />}
      title={texts.failedTitle}
      role="alert"
    >
      <Stack gap="sm">
        {message ? <Text size="sm">{message}</Text> : null}
        <Text size="sm">{texts.failedText}</Text>
        <Group gap="xs">
          {may(role, 'operator') ? (
            <Button size="xs" loading={rerun.isPending} onClick={() => rerun.mutate()}>
              {texts.again}
            </Button>
          ) : null}
          <ButtonLink size="xs" variant="default" to="/w/$workspaceId" params={{ workspaceId }}>
            {texts.home}
          </ButtonLink>
        </Group>
      </Stack>
    </Alert>
  )
}
