import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { ActiveSwitch } from './active-switch.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { draftOf, emptyDraft } from './draft/draft.ts'
import { Editor } from './editor/editor.tsx'
import { WorkflowOverview } from './overview/overview.tsx'
import { useRuns } from './queries.ts'
import { RunButton } from './run-button.tsx'
import type { Draft } from './types.ts'
import { WorkflowMenu } from './workflow-menu.tsx'

const PATH = '/w/$workspaceId/workflows/$workflowId'
const NEW_PATH = '/w/$workspaceId/workflows/new/custom'

export function WorkflowPage() {
  const { workflowId } = useParams({ from: `/signed-in${PATH}` })
  const workflow = useQuery(useApi().query<Workflow>(`/workflows/${workflowId}`))
  return (
    <Loaded query={workflow} size="page">
      {(data) => <StoredWorkflow key={data.id} workflow={data} />}
    </Loaded>
  )
}

function StoredWorkflow({ workflow }: { workflow: Workflow }) {
  const { id: workflowId } = workflow
  const { view = 'overview' } = useSearch({ from: `/signed-in${PATH}` })
  const { id: workspaceId, role } = useWorkspace()
  const navigate = useNavigate()
  const runs = useRuns(workflowId)
  const [last] = runs.data ?? []
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
            <RunButton
              workflow={workflow}
              last={last && { ...last, id: last.job_id }}
              allowed={allowed}
              unsaved={unsaved}
              size="sm"
            />
            <WorkflowMenu workflow={workflow} allowed={allowed} onDelete={() => setDeleting(true)} />
          </>
        )}
        onView={(next) =>
          navigate({ to: PATH, params: { workspaceId, workflowId }, search: { view: next }, replace: true })
        }
        overview={<WorkflowOverview workflow={workflow} runs={runs} allowed={allowed} />}
        onSaved={() => {}}
      />
      {deleting ? (
        <DeleteWorkflow
          workflow={workflow}
          onClose={() => setDeleting(false)}
          onDeleted={() => navigate({ to: '/w/$workspaceId/workflows', params: { workspaceId } })}
        />
      ) : null}
    </>
  )
}

/** A new workflow from the default steps or another workflow's. */
export function NewWorkflow() {
  const { from } = useSearch({ from: `/signed-in${NEW_PATH}` })
  const original = useQuery({
    ...useApi().query<Workflow>(`/workflows/${from}`),
    enabled: from !== undefined,
  })
  if (!from) return <NewEditor key="" original={undefined} />
  return (
    <Loaded query={original} size="page">
      {(data) => <NewEditor key={from} original={data} />}
    </Loaded>
  )
}

function NewEditor({ original }: { original: Workflow | undefined }) {
  const { view = 'steps' } = useSearch({ from: `/signed-in${NEW_PATH}` })
  const { id: workspaceId, role } = useWorkspace()
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: edits must survive changes of the original.
  const initial = useMemo(() => (original ? copyOf(original) : emptyDraft()), [])
  const allowed = may(role, 'operator')
  const hint = original ? texts.editor.copyHint : undefined
  return (
    <Editor
      initial={initial}
      view={view === 'overview' ? 'steps' : view}
      disabled={!allowed}
      hint={allowed ? hint : texts.needsOperator(roleTexts[role].name)}
      onView={(next) =>
        navigate({
          to: NEW_PATH,
          params: { workspaceId },
          search: (now) => ({ ...now, view: next }),
          replace: true,
        })
      }
      onSaved={({ id: workflowId }) =>
        navigate({ to: PATH, params: { workspaceId, workflowId }, search: { view } })
      }
    />
  )
}

/** Without destination: only one workflow may have this source and destination. */
function copyOf(workflow: Workflow): Draft {
  const draft = draftOf(workflow)
  return {
    ...draft,
    name: texts.copyOf(draft.name),
    destinationId: null,
    nodes: draft.nodes.map(({ id: _, ...node }) => node),
  }
}
