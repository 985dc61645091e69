import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { ButtonLink } from '../../components/links.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { connectTexts } from '../../texts/connect.ts'
import type { Terms } from '../../texts/nouns.ts'
import { JobState } from '../jobs/job-state.tsx'
import { type LiveJob, useLiveJob } from '../jobs/live-job.ts'
import { processedOf } from '../jobs/overview/job-numbers.ts'
import classes from './guide-step.module.css'
import { forgetGuide } from './stored-guide.ts'
import type { Guide } from './use-guide.ts'

const texts = connectTexts.progress
const ALERT = { body: classes.alert, message: classes.message }

type Props = { guide: Guide; jobId: string; destinationId: string; terms: Terms }

/** Follows the first run; its end offers the search. */
export function RunProgress({ guide, jobId, destinationId, terms }: Props) {
  const { id: workspaceId } = useWorkspace()
  const { live, failure } = useLiveJob(jobId)
  if (failure && !live) return <QueryFailure query={failure} />
  if (!live) return <PageSkeleton />
  const { status } = live.job
  if (status === 'COMPLETED') forgetGuide(workspaceId)
  const openJob = (
    <ButtonLink variant="default" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId }}>
      {texts.job}
    </ButtonLink>
  )
  return (
    <Stack gap="md" maw={640}>
      <Bar live={live} terms={terms} />
      {status === 'COMPLETED' ? (
        <Ready live={live} destinationId={destinationId} terms={terms}>
          {openJob}
        </Ready>
      ) : status === 'FAILED' || status === 'STOPPED' ? (
        <Failed guide={guide} live={live}>
          {openJob}
        </Failed>
      ) : (
        <Group>{openJob}</Group>
      )}
    </Stack>
  )
}

function Bar({ live: { details }, terms }: { live: LiveJob; terms: Terms }) {
  const total = details.summary.total_docs
  const done = processedOf(details.counts)
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <JobState job={details} />
        <Text size="sm" className="figures">
          {texts.documents(done, total, terms)}
        </Text>
      </Group>
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={texts.label} />
    </Stack>
  )
}

type ReadyProps = { live: LiveJob; destinationId: string; terms: Terms; children: ReactNode }

function Ready({ live, destinationId, terms, children }: ReadyProps) {
  const { id: workspaceId } = useWorkspace()
  const actions = useRef<HTMLDivElement>(null)
  useEffect(() => actions.current?.querySelector('a')?.focus(), [])
  const failed = live.details.counts.failed
  const isCut = live.details.incomplete !== null
  return (
    <Alert
      variant="outline"
      icon={<IconCircleCheck size={18} />}
      title={isCut ? texts.readyCut : texts.ready}
      role="status"
      classNames={ALERT}
    >
      <Stack gap="sm">
        <Text size="sm">
          {failed > 0 ? texts.someFailed(failed, terms) : isCut ? texts.someLeftOut(terms) : texts.readyText}
        </Text>
        <Group gap="xs" ref={actions}>
          <ButtonLink
            to="/w/$workspaceId/search"
            params={{ workspaceId }}
            search={{ destination: destinationId }}
          >
            {texts.search}
          </ButtonLink>
          {children}
        </Group>
      </Stack>
    </Alert>
  )
}

function Failed({ guide, live, children }: { guide: Guide; live: LiveJob; children: ReactNode }) {
  const api = useApi()
  const again = useAction(() => api.post<Job>(`/workflows/${live.job.workflow_id}/run`), {
    refreshes: ['/jobs'],
    onSuccess: ({ id }) => guide.go({ job: id }),
  })
  return (
    <Alert
      variant="outline"
      color="var(--mr-bad)"
      icon={<IconAlertTriangle size={18} />}
      title={texts.failed}
      role="alert"
      classNames={ALERT}
    >
      <Stack gap="sm">
        {live.details.message ? <Text size="sm">{live.details.message}</Text> : null}
        <Group gap="xs">
          <Button loading={again.isPending} onClick={() => again.mutate()}>
            {texts.again}
          </Button>
          <Button variant="default" onClick={() => void guide.go({ job: undefined })}>
            {texts.change}
          </Button>
          {children}
        </Group>
      </Stack>
    </Alert>
  )
}
