import { Alert, Button, Checkbox, Group, Paper, Stack, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { z } from 'zod'
import { FormErrors } from '../../components/form-errors.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { useNotices } from '../../components/notices.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts } from '../../texts/workflows.ts'
import { ConnectorSelect } from './connector-select.tsx'
import { useRun } from './run-button.tsx'
import { ScheduleField } from './schedule/schedule-field.tsx'
import { UTC } from './schedule/schedules.ts'

const texts = workflowsTexts.form

const schema = z.object({
  name: z.string().trim().min(1, texts.nameMissing),
  source_id: z.string().min(1, texts.sourceMissing),
  destination_id: z.string().min(1, texts.destinationMissing),
  schedule: z.string(),
  schedule_timezone: z.string(),
  runNow: z.boolean(),
})

/** A short form; the workflow gets the default nodes. */
export function SimplePage() {
  const { id: workspaceId, role } = useWorkspace()
  const api = useApi()
  const notices = useNotices()
  const navigate = useNavigate()
  const run = useRun()
  const { source } = useSearch({ from: '/signed-in/w/$workspaceId/workflows/new/simple' })
  const form = useForm({
    schema,
    initial: {
      name: '',
      source_id: source ?? '',
      destination_id: '',
      schedule: '',
      schedule_timezone: UTC,
      runNow: true,
    },
    submit: async ({ runNow, ...values }) => {
      const body = { ...values, schedule: values.schedule || null, workflow_type: 'custom' }
      const workflow = await api.post<Workflow>('/workflows', body)
      await api.refresh('/workflows')
      notices.success(texts.created(workflow.name))
      const openWorkflow = () =>
        navigate({
          to: '/w/$workspaceId/workflows/$workflowId',
          params: { workspaceId, workflowId: workflow.id },
        })
      // The workflow exists even if the run fails, so open it.
      if (runNow) await run.mutateAsync(workflow.id).catch(openWorkflow)
      else await openWorkflow()
    },
  })
  return (
    <>
      <PageHeader title={workflowsTexts.build.simple} description={workflowsTexts.build.simpleText} />
      {may(role, 'operator') ? (
        <Paper withBorder p={{ base: 'md', sm: 'lg' }} bg="var(--mr-surface)">
          <form {...form.form}>
            <Stack gap="md" maw={640}>
              <FormErrors failure={form.failure} />
              <TextInput
                label={texts.name}
                description={texts.nameHelp}
                placeholder={texts.nameExample}
                autoComplete="off"
                withAsterisk
                {...form.field('name')}
              />
              <ConnectorField kind="source" field={form.field('source_id')} />
              <ConnectorField kind="destination" field={form.field('destination_id')} />
              <ScheduleField
                value={{ schedule: form.values.schedule || null, timezone: form.values.schedule_timezone }}
                error={form.field('schedule').error}
                zoneError={form.field('schedule_timezone').error}
                onChange={({ schedule, timezone }) =>
                  form.set({ schedule: schedule ?? '', schedule_timezone: timezone })
                }
              />
              <Checkbox
                label={texts.runNow}
                checked={form.values.runNow}
                onChange={(event) => form.set({ runNow: event.currentTarget.checked })}
              />
              <Group gap="xs">
                <Button type="submit" loading={form.sending}>
                  {texts.create}
                </Button>
                <ButtonLink variant="default" to="/w/$workspaceId/workflows" params={{ workspaceId }}>
                  {texts.cancel}
                </ButtonLink>
              </Group>
            </Stack>
          </form>
        </Paper>
      ) : (
        <Alert variant="outline" icon={<IconLock size={18} />}>
          {workflowsTexts.needsOperator(roleTexts[role].name)}
        </Alert>
      )}
    </>
  )
}

type ConnectorFieldProps = {
  kind: 'source' | 'destination'
  field: { value: string; error: string | undefined; onChange: (next: string) => void }
}

function ConnectorField({ kind, field: { value, error, onChange } }: ConnectorFieldProps) {
  return (
    <ConnectorSelect kind={kind} value={value || null} error={error} onChange={(id) => onChange(id ?? '')} />
  )
}
