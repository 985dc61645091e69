import { Alert, Tabs } from '@mantine/core'
import { IconLock, IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { oneOf } from '../../shell/search-values.ts'
import { connectTexts } from '../../texts/connect.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { ConnectorTable } from './connector-table.tsx'
import { kinds } from './types.ts'

/** The address holds the open tab. */
export function ConnectorsPage() {
  const { tab: kind = 'source' } = useSearch({ from: '/signed-in/w/$workspaceId/connectors' })
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const allowed = may(workspace.role, 'developer')
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          allowed ? (
            <>
              <ButtonLink
                variant="default"
                leftSection={<IconPlus size={16} />}
                to="/w/$workspaceId/connectors/$kind/new"
                params={{ workspaceId: workspace.id, kind }}
              >
                {texts.new[kind]}
              </ButtonLink>
              <ButtonLink
                leftSection={<IconPlugConnected size={16} />}
                to="/w/$workspaceId/connect"
                params={{ workspaceId: workspace.id }}
              >
                {connectTexts.open}
              </ButtonLink>
            </>
          ) : null
        }
      />
      {allowed ? null : (
        <Alert variant="outline" icon={<IconLock size={18} />} mb="md">
          {texts.needsDeveloper(roleTexts[workspace.role].name)}
        </Alert>
      )}
      <Tabs
        value={kind}
        keepMounted={false}
        onChange={(next) =>
          navigate({
            to: '/w/$workspaceId/connectors',
            params: { workspaceId: workspace.id },
            search: { tab: oneOf(next, kinds) },
          })
        }
      >
        <Tabs.List mb="md">
          {kinds.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {texts.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {kinds.map((each) => (
          <Tabs.Panel key={each} value={each}>
            <ConnectorTable kind={each} allowed={allowed} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
