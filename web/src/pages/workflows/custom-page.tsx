import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { draftOf, emptyDraft } from './draft/draft.ts'
import { Editor } from './editor/editor.tsx'
import type { Draft } from './types.ts'

/** A new workflow from the default nodes or another workflow's. */
export function CustomPage() {
  const { from } = useSearch({ from: '/signed-in/w/$workspaceId/workflows/new/custom' })
  const api = useApi()
  const original = useQuery({ ...api.query<Workflow>(`/workflows/${from}`), enabled: from !== undefined })
  if (from && original.isPending) return <Skeleton height={400} />
  return <NewEditor key={from ?? ''} original={original.data} />
}

function NewEditor({ original }: { original: Workflow | undefined }) {
  const { view: asked = 'steps' } = useSearch({ from: '/signed-in/w/$workspaceId/workflows/new/custom' })
  const view = asked === 'overview' ? 'steps' : asked
  const { id: workspaceId, role } = useWorkspace()
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: edits must survive changes of the original.
  const initial = useMemo(() => (original ? copyOf(original) : emptyDraft()), [])
  const allowed = may(role, 'operator')
  return (
    <Editor
      initial={initial}
      view={view}
      disabled={!allowed}
      hint={
        !allowed ? texts.needsOperator(roleTexts[role].name) : original ? texts.editor.copyHint : undefined
      }
      onView={(next) =>
        navigate({
          to: '/w/$workspaceId/workflows/new/custom',
          params: { workspaceId },
          search: (now) => ({ ...now, view: next }),
          replace: true,
        })
      }
      onSaved={({ id }) =>
        navigate({
          to: '/w/$workspaceId/workflows/$workflowId',
          params: { workspaceId, workflowId: id },
          search: { view },
        })
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
