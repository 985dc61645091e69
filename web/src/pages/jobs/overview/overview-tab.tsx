import { Stack } from '@mantine/core'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { LiveJob } from '../live-job.ts'
import { DocumentCounts } from './document-counts.tsx'
import { RunSettings } from './run-settings.tsx'
import { Stages } from './stages.tsx'
import { Warnings } from './warnings.tsx'

export function OverviewTab({ live }: { live: LiveJob }) {
  const { kind, workflow_id: workflowId } = live.job
  return (
    <Stack gap="lg">
      {kind === 'permissions' ? <Permissions workflowId={workflowId} /> : null}
      {kind === 'verify' ? (
        <Panel title={jobTexts.verify.title} description={jobTexts.verify.text}>
          {live.job.status === 'FAILED' ? null : live.details.message}
        </Panel>
      ) : null}
      {kind === 'content' ? (
        <>
          <DocumentCounts live={live} />
          <Stages live={live} />
        </>
      ) : null}
      <Warnings live={live} />
      {kind === 'content' ? <RunSettings details={live.details} /> : null}
    </Stack>
  )
}

/** Permission runs count no documents. */
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
