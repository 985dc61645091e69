import { Alert, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ButtonLink } from '../../components/links.tsx'
import { every, Loaded } from '../../components/loaded.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may, type Workflow } from '../../service/types.ts'
import { oneOf } from '../../shell/search-values.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { SandboxNote } from '../sandbox/sandbox-note.tsx'
import { useAllWorkflows } from '../workflows/queries.ts'
import { CheckPanel } from './check/check-panel.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { ConnectorMenu } from './connector-menu.tsx'
import { findType } from './connector-type.ts'
import { DeleteConnector } from './delete-connector.tsx'
import { CreateIndex } from './index/create-index.tsx'
import { IndexPanel } from './index/index-panel.tsx'
import { ReplacedIndexes } from './index/replaced-indexes.tsx'
import { useConnectorTypes } from './queries.ts'
import { TypeDocumentation } from './type-documentation.tsx'
import { type Connector, type ConnectorType, type Kind, kinds, pathOf } from './types.ts'
import { workflowsUsing } from './workflows-using.ts'

export function ConnectorPage() {
  const params = useParams({ from: '/signed-in/w/$workspaceId/connectors/$kind/$connectorId' })
  const kind = oneOf(params.kind, kinds)
  return kind ? <TheConnector kind={kind} id={params.connectorId} /> : <NotFound />
}

/** The last test of a connector, and its settings. */
function TheConnector({ kind, id }: { kind: Kind; id: string }) {
  const connector = useQuery(useApi().query<Connector>(`${pathOf(kind)}/${id}`))
  const known = every(connector, useConnectorTypes(), useAllWorkflows())
  return (
    <Loaded query={known} size="page">
      {([found, types, workflows]) => {
        const type = findType(types, kind, found.type)
        const usedBy = workflowsUsing(workflows, kind, id)
        return type ? <Details kind={kind} connector={found} type={type} usedBy={usedBy} /> : <NotFound />
      }}
    </Loaded>
  )
}

type Props = { kind: Kind; connector: Connector; type: ConnectorType; usedBy: Workflow[] }

function Details({ kind, connector, type, usedBy }: Props) {
  const { id } = connector
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const allowed = may(workspace.role, 'developer')
  return (
    <>
      <PageHeader
        title={connector.name}
        description={
          <>
            {type.title}
            <TypeDocumentation type={type} />
          </>
        }
        actions={
          <ConnectorMenu
            kind={kind}
            connector={connector}
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
        {connector.sandbox ? (
          <Alert variant="outline" p="sm">
            <SandboxNote destinationId={id} />
          </Alert>
        ) : null}
        <CheckPanel
          kind={kind}
          id={id}
          allowed={allowed}
          next={
            may(workspace.role, 'operator') && usedBy.length === 0 ? (
              <ButtonLink
                to="/w/$workspaceId/connect"
                params={{ workspaceId: workspace.id }}
                search={kind === 'source' ? { source: id, step: 'destination' } : { destination: id }}
              >
                {texts.continue}
              </ButtonLink>
            ) : null
          }
        />
        {allowed && type.capabilities.includes('create') ? <CreateIndex id={id} terms={type.terms} /> : null}
        {type.capabilities.includes('inspect') ? (
          <IndexPanel id={id} terms={type.terms} allowed={allowed} />
        ) : null}
        <ConnectorForm
          // A saved form starts again with the stored values.
          key={connector.updated_at ?? ''}
          type={type}
          existing={connector}
          workflowCount={usedBy.length}
          disabled={!allowed}
        />
        {type.capabilities.includes('swap') ? <ReplacedIndexes id={id} allowed={allowed} /> : null}
      </Stack>
      {deleting ? (
        <DeleteConnector
          kind={kind}
          connector={connector}
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
