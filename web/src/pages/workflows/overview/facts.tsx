import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { RelativeTime, Time } from '../../../components/relative-time.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import type { Job, Workflow } from '../../../service/types.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { JobState } from '../../jobs/job-state.tsx'
import type { Freshness } from '../permissions/freshness.ts'
import { localTime, scheduleText } from '../schedule/schedules.ts'
import classes from './overview.module.css'

const texts = workflowsTexts.overview

/** The last run, the next one and the age of the permissions, at a glance. */
export function Facts({ workflow, jobs }: { workflow: Workflow; jobs: Job[] }) {
  const { id: workspaceId } = useWorkspace()
  const freshness = useQuery(useApi().query<Freshness>(`/workflows/${workflow.id}/freshness`))
  const [last] = jobs
  const cron = workflow.schedule.crontab_entries[0]?.cron_expression
  return (
    <SimpleGrid component="section" aria-label={texts.facts} cols={{ base: 1, sm: 3 }} spacing="md">
      <Fact
        name={texts.lastRun}
        help={
          last ? (
            <>
              <RelativeTime at={last.created_at} />{' '}
              <TextLink size="xs" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: last.id }}>
                {texts.openJob}
              </TextLink>
            </>
          ) : undefined
        }
      >
        {last ? <JobState job={last} /> : workflowsTexts.noRuns}
      </Fact>
      <Fact name={texts.nextRun} help={cron ? scheduleText(cron, workflow.schedule_timezone) : undefined}>
        <NextRun workflow={workflow} />
      </Fact>
      <Fact name={texts.permissions} help={texts.permissionsHelp}>
        <RelativeTime at={freshness.data?.oldest} absent={freshness.data ? texts.never : '–'} />
      </Fact>
    </SimpleGrid>
  )
}

/** In the zone of the schedule; local time and UTC on hover. */
function NextRun({ workflow }: { workflow: Workflow }) {
  const { next_run_at: next, schedule_timezone: zone, status } = workflow
  if (!next) return status === 'inactive' ? workflowsTexts.paused : workflowsTexts.form.never
  return <Time at={next} text={localTime(new Date(next), zone)} />
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
      <Text component="div" size="xs" c="dimmed" mih={18}>
        {help}
      </Text>
    </div>
  )
}
