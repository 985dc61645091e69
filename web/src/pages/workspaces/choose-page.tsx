import { Button, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconBuildingCommunity, IconChevronRight } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { EmptyState } from '../../components/empty-state.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { TextLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useSession } from '../../service/session.ts'
import type { Workspace } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workspacesTexts as texts } from '../../texts/workspaces.ts'
import classes from './choose-page.module.css'

/** Where a business account starts. */
export function ChoosePage() {
  const { workspaces, is_organisation_administrator: mayCreate } = useSession()
  return (
    <Stack maw={720}>
      <PageHeader title={texts.title} description={texts.description} />
      {workspaces.length === 0 ? (
        <EmptyState icon={<IconBuildingCommunity size={32} stroke={1.5} />} title={texts.none.title}>
          {mayCreate ? texts.none.create : texts.none.text}
        </EmptyState>
      ) : (
        <Paper withBorder component="ul" className={classes.list} bg="var(--mr-surface)">
          {workspaces.map(({ id, name, role }) => (
            <li key={id}>
              <TextLink
                to="/w/$workspaceId"
                params={{ workspaceId: id }}
                underline="never"
                className={classes.row}
              >
                <Text span fw={500} className={classes.name}>
                  {name}
                </Text>
                <Text span size="sm" c="dimmed">
                  {roleTexts[role].name}
                </Text>
                <IconChevronRight size={16} aria-hidden="true" />
              </TextLink>
            </li>
          ))}
        </Paper>
      )}
      {mayCreate ? <NewWorkspace /> : null}
    </Stack>
  )
}

const schema = z.object({ name: z.string().trim().min(1, texts.nameMissing) })

function NewWorkspace() {
  const navigate = useNavigate()
  const form = useForm({
    schema,
    initial: { name: '' },
    submit: async (body) => {
      const { id } = await call<Workspace>('POST', '/workspaces', { body })
      await queryClient.refetchQueries(sessionQuery)
      await navigate({ to: '/w/$workspaceId', params: { workspaceId: id } })
    },
  })
  return (
    <Panel title={texts.new}>
      <form {...form.form}>
        <Stack align="flex-start">
          <FormErrors failure={form.failure} />
          <TextInput label={texts.name} w="100%" maw={400} {...form.field('name')} />
          <Button type="submit" variant="default" loading={form.sending}>
            {texts.create}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
