import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import { type PendingInvitation, type ResponseOf, roles, type Workspace } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { settingsTexts } from '../../texts/settings.ts'

const texts = settingsTexts.invitations

export function Invitations({ workspace }: { workspace: Workspace }) {
  const path = `/workspaces/${workspace.id}/invitations`
  return (
    <Panel title={texts.title} description={texts.text}>
      <Stack gap="lg">
        <Invite path={path} />
        <OpenInvitations path={path} />
      </Stack>
    </Panel>
  )
}

const schema = z.object({
  email: z
    .string()
    .trim()
    .regex(/^\S+@\S+$/, texts.emailWrong),
  role: z.enum(['reader', 'viewer', 'operator', 'developer', 'administrator']),
})

function Invite({ path }: { path: string }) {
  const api = useApi()
  const [created, setCreated] = useState<{ email: string; link: string }>()
  const form = useForm({
    schema,
    initial: { email: '', role: 'viewer' },
    submit: async (values) => {
      const { link } = await api.post<ResponseOf<'POST /api/v1/workspaces/{workspace_id}/invitations'>>(
        path,
        values,
      )
      setCreated({ email: values.email, link: new URL(link, window.location.origin).href })
      form.reset()
      await api.refresh(path)
    },
  })
  const role = form.field('role')
  return (
    <Stack>
      <form {...form.form}>
        <FormErrors failure={form.failure} />
        <Group align="flex-start" gap="sm">
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="off"
            flex="1 1 240px"
            {...form.field('email')}
          />
          <NativeSelect
            label={texts.role}
            flex="1 1 240px"
            {...role}
            data={roles.map((each) => ({
              value: each,
              label: `${roleTexts[each].name}: ${roleTexts[each].may}`,
            }))}
          />
          <Button type="submit" variant="default" mt={25} loading={form.sending}>
            {texts.invite}
          </Button>
        </Group>
      </form>
      <div role="status">
        {created ? (
          <Alert variant="outline" title={texts.ready(created.email)}>
            <ShownOnce label={texts.link} value={created.link} what={texts.theLink} note={texts.once} />
          </Alert>
        ) : null}
      </div>
    </Stack>
  )
}

function OpenInvitations({ path }: { path: string }) {
  const api = useApi()
  const invitations = useQuery(api.list<PendingInvitation>(path))
  const withdraw = useAction(({ id }: PendingInvitation) => api.delete(`${path}/${id}`), {
    refreshes: [path],
    notice: texts.withdrawn,
    showsError: false,
  })
  const columns: Column<PendingInvitation>[] = [
    { id: 'email', header: texts.columns.email, cell: ({ email }) => email, sortBy: ({ email }) => email },
    { id: 'role', header: texts.columns.role, cell: ({ role }) => roleTexts[role].name },
    { id: 'by', header: texts.columns.by, hideOnPhone: true, cell: ({ invited_by: by }) => by?.name || '–' },
    {
      id: 'expires',
      header: texts.columns.expires,
      cell: ({ expires_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ expires_at: at }) => at,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (invitation) => (
        <DeleteButton
          label={texts.withdraw(invitation.email)}
          confirm={texts.withdrawConfirm}
          text={texts.withdrawText}
          onConfirm={() => withdraw.mutateAsync(invitation)}
        />
      ),
    },
  ]
  return (
    <DataTable
      label={texts.list}
      columns={columns}
      rows={invitations.data}
      query={invitations}
      rowId={({ id }) => id}
      empty={<Text c="dimmed">{texts.none}</Text>}
    />
  )
}
