import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'
import { ActiveSwitch } from './active-switch.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { draftOf } from './draft/draft.ts'
import { Editor } from './editor/editor.tsx'
import { WorkflowOverview } from './overview/overview.tsx'
import { useJobs } from './queries.ts'
import { RunButton } from './run-button.tsx'
import { jobsOf } from './runs.ts'
import { WorkflowMenu } from './workflow-menu.tsx'

export function WorkflowPage() {
  const { workflowId } = useParams({ from: '/signed-in/w/$workspaceId/workflows/$workflowId' })
  const workflow = useQuery(useApi().query<Workflow>(`/workflows/${workflowId}`))
  return (
    <Loaded query={workflow} size="page">
      {(data) => <WorkflowEditor key={data.id} workflow={data} />}
    </Loaded>
  )
}

function WorkflowEditor({ workflow }: { workflow: Workflow }) {
  const { view = 'overview' } = useSearch({ from: '/signed-in/w/$workspaceId/workflows/$workflowId' })
  const { id: workspaceId, role } = useWorkspace()
  const navigate = useNavigate()
  const jobs = jobsOf(useJobs().data ?? [], workflow.id)
  const destinations = useConnectors('destination').data ?? []
  const [deleting, setDeleting] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: edits must survive changes of the stored workflow.
  const initial = useMemo(() => draftOf(workflow), [])
  const allowed = may(role, 'operator')
  return (
    <>
      <Editor
        initial={initial}
        workflow={workflow}
        view={view}
        disabled={!allowed}
        hint={allowed ? undefined : texts.needsOperator(roleTexts[role].name)}
        aside={<ActiveSwitch workflow={workflow} disabled={!allowed} />}
        actions={(unsaved) => (
          <>
            <RunButton workflow={workflow} jobs={jobs} allowed={allowed} unsaved={unsaved} size="sm" />
            <WorkflowMenu workflow={workflow} allowed={allowed} onDelete={() => setDeleting(true)} />
          </>
        )}
        onView={(next) =>
          navigate({
            to: '/w/$workspaceId/workflows/$workflowId',
            params: { workspaceId, workflowId: workflow.id },
            search: { view: next },
            replace: true,
          })
        }
        overview={<WorkflowOverview workflow={workflow} jobs={jobs} allowed={allowed} />}
        onSaved={() => {}}
      />
      {deleting ? (
        <DeleteWorkflow
          workflow={workflow}
          destination={destinations.find(({ id }) => id === workflow.destinations[0])?.name}
          onClose={() => setDeleting(false)}
          onDeleted={() => navigate({ to: '/w/$workspaceId/workflows', params: { workspaceId } })}
        />
      ) : null}
    </>
  )
}
