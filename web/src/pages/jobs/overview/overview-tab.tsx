import { Stack } from '@mantine/core'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { LiveJob } from '../live-job.ts'
import { Equation } from './equation.tsx'
import { Stages } from './stages.tsx'
import { Throughput } from './throughput.tsx'
import { Warnings } from './warnings.tsx'

export function OverviewTab({ live }: { live: LiveJob }) {
  if (live.job.kind === 'permissions') {
    return (
      <Stack gap="lg">
        <Permissions workflowId={live.job.workflow_id} />
        <Warnings live={live} />
      </Stack>
    )
  }
  if (live.job.kind === 'verify') {
    return (
      <Stack gap="lg">
        <Panel title={jobTexts.verify.title} description={jobTexts.verify.text}>
          {live.details.message}
        </Panel>
        <Warnings live={live} />
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <Equation live={live} />
      <Stages live={live} />
      <Throughput live={live} />
      <Warnings live={live} />
    </Stack>
  )
}

/** Permission jobs count no documents. */
function Permissions({ workflowId }: { workflowId: string }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Panel title={jobTexts.permissions.title} description={jobTexts.permissions.text}>
      <TextLink to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId }}>
        {jobTexts.permissions.open}
      </TextLink>
    </Panel>
  )
}
