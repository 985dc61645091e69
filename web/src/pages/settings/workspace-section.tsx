import { Group, Stack, Text, TextInput } from '@mantine/core'
import { z } from 'zod'
import { CopyButton } from '../../components/copy-button.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { useNotices } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useApi, useSession } from '../../service/session.ts'
import { may, type Workspace } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { PanelForm } from './panel-form.tsx'
import { PartingPanel } from './parting-panel.tsx'

const texts = settingsTexts.workspace
const schema = z.object({ name: z.string().trim().min(1, texts.missing) })

export function WorkspaceSection({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const { tier, workspaces } = useSession()
  return (
    <Stack gap="lg">
      <Rename workspace={workspace} />
      <Panel title={texts.id} description={texts.idText}>
        <Group gap="xs" wrap="nowrap">
          <Text span className="mono" style={{ overflowWrap: 'anywhere' }}>
            {workspace.id}
          </Text>
          <CopyButton text={workspace.id} what={texts.theId} />
        </Group>
      </Panel>
      {tier === 'business' ? (
        <Panel title={texts.others}>
          <ButtonLink to="/" search={{ choose: true }} variant="default">
            {texts.all}
          </ButtonLink>
        </Panel>
      ) : null}
      {tier === 'business' ? (
        <PartingPanel
          {...settingsTexts.leaving(workspace.name)}
          description={texts.leaveText}
          onConfirm={() => api.post(`/workspaces/${workspace.id}/leave`, {})}
        />
      ) : null}
      {workspaces.length > 1 && may(workspace.role, 'administrator') ? (
        <PartingPanel
          {...texts.deletion(workspace.name)}
          confirmationText={workspace.name}
          onConfirm={() => api.delete(`/workspaces/${workspace.id}`)}
        />
      ) : null}
    </Stack>
  )
}

function Rename({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const notices = useNotices()
  const allowed = may(workspace.role, 'administrator')
  const form = useForm({
    schema,
    initial: { name: workspace.name },
    submit: async (values) => {
      await api.patch(`/workspaces/${workspace.id}`, values)
      await queryClient.refetchQueries(sessionQuery)
      notices.success(texts.renamed)
    },
  })
  return (
    <PanelForm
      title={texts.name}
      description={allowed ? texts.nameText : texts.administratorsOnly}
      form={form}
      submit={allowed ? texts.rename : undefined}
    >
      <TextInput label={texts.label} disabled={!allowed} {...form.field('name')} />
    </PanelForm>
  )
}
