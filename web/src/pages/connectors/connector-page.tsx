import { Alert, Skeleton, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { ApiError } from '../../service/errors.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { oneOf } from '../../shell/search-values.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { SandboxNote } from '../sandbox/sandbox-note.tsx'
import { useAllWorkflows } from '../workflows/queries.ts'
import { CheckPanel } from './check/check-panel.tsx'
import { NextStepButton } from './check/next-step.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { ConnectorMenu } from './connector-menu.tsx'
import { findType } from './connector-type.ts'
import { DeleteConnector } from './delete-connector.tsx'
import { CreateIndex } from './index/create-index.tsx'
import { IndexPanel } from './index/index-panel.tsx'
import { ReplacedIndexes } from './index/replaced-indexes.tsx'
import { useConnectorTypes } from './queries.ts'
import { TypeDocumentation } from './type-documentation.tsx'
import { type Connector, type Kind, kinds, pathOf } from './types.ts'
import { workflowsUsing } from './workflows-using.ts'

export function ConnectorPage() {
  const params = useParams({ from: '/signed-in/w/$workspaceId/connectors/$kind/$connectorId' })
  const kind = oneOf(params.kind, kinds)
  return kind ? <TheConnector kind={kind} id={params.connectorId} /> : <NotFound />
}

/** The last test of a connector, and its settings. */
function TheConnector({ kind, id }: { kind: Kind; id: string }) {
  const connector = useQuery(useApi().query<Connector>(`${pathOf(kind)}/${id}`))
  const types = useConnectorTypes()
  const workflows = useAllWorkflows()
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const allowed = may(workspace.role, 'developer')

  if (connector.error instanceof ApiError && connector.error.status === 404) return <NotFound />
  if (connector.isError) return <QueryFailure query={connector} />
  if (types.isError) return <QueryFailure query={types} />
  if (!connector.data || !types.data) return <Skeleton height={360} />
  const type = findType(types.data, kind, connector.data.type)
  if (!type) return <NotFound />
  const usedBy = workflowsUsing(workflows.data, kind, id) ?? []
  return (
    <>
      <PageHeader
        title={connector.data.name}
        description={
          <>
            {type.title}
            <TypeDocumentation type={type} />
          </>
        }
        actions={
          <ConnectorMenu
            kind={kind}
            connector={connector.data}
            allowed={allowed}
            onDelete={() => setDeleting(true)}
          />
        }
      />
      <Stack gap="lg">
        {allowed ? null : (
          <Alert variant="outline" icon={<IconLock size={18} />}>
            {texts.needsDeveloper(roleTexts[workspace.role].name)}
          </Alert>
        )}
        {connector.data.sandbox ? (
          <Alert variant="outline" p="sm">
            <SandboxNote destinationId={id} />
          </Alert>
        ) : null}
        <CheckPanel
          kind={kind}
          id={id}
          allowed={allowed}
          next={
            allowed && workflows.data && usedBy.length === 0 ? <NextStepButton kind={kind} id={id} /> : null
          }
        />
        {allowed && type.capabilities.includes('create') ? <CreateIndex id={id} terms={type.terms} /> : null}
        {type.capabilities.includes('inspect') ? (
          <IndexPanel id={id} terms={type.terms} allowed={allowed} />
        ) : null}
        <ConnectorForm
          // A saved form starts again with the stored values.
          key={connector.data.updated_at ?? ''}
          type={type}
          existing={connector.data}
          workflowCount={usedBy.length}
          disabled={!allowed}
        />
        {type.capabilities.includes('swap') ? <ReplacedIndexes id={id} allowed={allowed} /> : null}
      </Stack>
      {deleting ? (
        <DeleteConnector
          kind={kind}
          connector={connector.data}
          type={type}
          usedBy={usedBy}
          onClose={() => setDeleting(false)}
          onDeleted={() =>
            navigate({
              to: '/w/$workspaceId/connectors',
              params: { workspaceId: workspace.id },
              search: { tab: kind },
            })
          }
        />
      ) : null}
    </>
  )
}
