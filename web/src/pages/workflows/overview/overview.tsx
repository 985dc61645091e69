import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { RelativeTime, Time } from '../../../components/relative-time.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import type { Job, Workflow } from '../../../service/types.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { JobState } from '../../jobs/job-state.tsx'
import { isActive } from '../../jobs/types.ts'
import { PermissionsPanel } from '../permissions/permissions-panel.tsx'
import { usePass } from '../permissions/use-pass.ts'
import type { useJobs } from '../queries.ts'
import { localTime, scheduleText } from '../schedule/schedules.ts'
import classes from './overview.module.css'
import { RunCharts, type WorkflowRun } from './run-charts.tsx'

const texts = workflowsTexts.overview

type Props = { workflow: Workflow; jobs: ReturnType<typeof useJobs>; allowed: boolean }

const RUNS = 30
const POLL_MS = 5000

/** What the workflow did, does next, and how old its permissions are. */
export function WorkflowOverview({ workflow, jobs, allowed }: Props) {
  const isRunning = jobs.data?.some(isActive)
  const runs = useQuery({
    ...useApi().query<WorkflowRun[]>(`/workflows/${workflow.id}/runs`, { limit: RUNS }),
    refetchInterval: isRunning ? POLL_MS : false,
  })
  const pass = usePass(workflow)
  const { next_run_at: next, schedule_timezone: zone, status } = workflow
  const cron = workflow.schedule.crontab_entries[0]?.cron_expression
  return (
    <Stack gap="lg">
      <SimpleGrid component="section" aria-label={texts.facts} cols={{ base: 1, sm: 3 }} spacing="md">
        <Fact name={texts.lastRun}>
          <Loaded query={jobs} size="inline">
            {([last]) => (last ? <LastRun job={last} /> : workflowsTexts.noRuns)}
          </Loaded>
        </Fact>
        <Fact name={texts.nextRun} help={cron ? scheduleText(cron, zone) : undefined}>
          {/* In the zone of the schedule; local time and UTC on hover. */}
          {next ? (
            <Time at={next} text={localTime(new Date(next), zone)} />
          ) : status === 'inactive' ? (
            workflowsTexts.paused
          ) : (
            workflowsTexts.form.never
          )}
        </Fact>
        <Fact name={texts.permissions} help={texts.permissionsHelp}>
          <Loaded query={pass.freshness} size="inline">
            {({ oldest }) => <RelativeTime at={oldest} absent={texts.never} />}
          </Loaded>
        </Fact>
      </SimpleGrid>
      <Loaded query={runs} size={600}>
        {(all) => <RunCharts workflow={workflow} runs={all} />}
      </Loaded>
      <PermissionsPanel workflow={workflow} pass={pass} allowed={allowed} />
    </Stack>
  )
}

function LastRun({ job }: { job: Job }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <>
      <JobState job={job} />
      <Text component="div" size="xs" c="dimmed" fw={400}>
        <RelativeTime at={job.created_at} />{' '}
        <TextLink size="xs" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: job.id }}>
          {texts.openRun}
        </TextLink>
      </Text>
    </>
  )
}

function Fact({ name, help, children }: { name: string; help?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="div" fw={600} className="figures">
        {children}
      </Text>
      {help ? (
        <Text component="div" size="xs" c="dimmed">
          {help}
        </Text>
      ) : null}
    </div>
  )
}
