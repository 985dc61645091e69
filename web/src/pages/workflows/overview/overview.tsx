import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { RelativeTime, Time } from '../../../components/relative-time.tsx'
import { useWorkspace } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { JobState } from '../../jobs/job-state.tsx'
import { PermissionsPanel } from '../permissions/permissions-panel.tsx'
import { usePass } from '../permissions/use-pass.ts'
import type { useRuns, WorkflowRun } from '../queries.ts'
import { localTime, scheduleText } from '../schedule/schedules.ts'
import classes from './overview.module.css'
import { RunChart } from './run-chart.tsx'

const texts = workflowsTexts.overview

type Props = { workflow: Workflow; runs: ReturnType<typeof useRuns>; allowed: boolean }

/** What the workflow did, does next, and how old its permissions are. */
export function WorkflowOverview({ workflow, runs, allowed }: Props) {
  const pass = usePass(workflow)
  const { next_run_at: next, schedule_timezone: zone, status } = workflow
  const cron = workflow.schedule.crontab_entries[0]?.cron_expression
  return (
    <Stack gap="lg">
      <SimpleGrid component="section" aria-label={texts.facts} cols={{ base: 1, sm: 3 }} spacing="md">
        <Fact name={texts.lastRun}>
          <Loaded query={runs} size="inline">
            {([last]) => (last ? <LastRun run={last} /> : workflowsTexts.noRuns)}
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
      <Loaded query={runs} size={380}>
        {(all) => <RunChart workflow={workflow} runs={all} />}
      </Loaded>
      <PermissionsPanel workflow={workflow} pass={pass} allowed={allowed} />
    </Stack>
  )
}

function LastRun({ run }: { run: WorkflowRun }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <>
      <JobState job={run} />
      <Text component="div" size="xs" c="dimmed" fw={400}>
        <RelativeTime at={run.created_at} />{' '}
        <TextLink size="xs" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: run.job_id }}>
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
