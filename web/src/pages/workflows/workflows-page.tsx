import { Alert } from '@mantine/core'
import { IconLock, IconPlus } from '@tabler/icons-react'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { WorkflowTable } from './workflow-table.tsx'

export function WorkflowsPage() {
  const { id: workspaceId, role } = useWorkspace()
  const allowed = may(role, 'operator')
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <ButtonLink
            leftSection={<IconPlus size={16} />}
            disabled={!allowed}
            data-disabled={!allowed || undefined}
            aria-describedby={allowed ? undefined : 'no-workflows'}
            to="/w/$workspaceId/workflows/new"
            params={{ workspaceId }}
          >
            {texts.new}
          </ButtonLink>
        }
      />
      {allowed ? null : (
        <Alert variant="outline" id="no-workflows" icon={<IconLock size={18} />} mb="md">
          {texts.needsOperator(roleTexts[role].name)}
        </Alert>
      )}
      <WorkflowTable allowed={allowed} />
    </>
  )
}
