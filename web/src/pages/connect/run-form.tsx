import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { FormErrors } from '../../components/form-errors.tsx'
import { type FieldProps, useForm } from '../../schema-form/form.ts'
import { type Field, fieldsOf, type Value, type Values } from '../../schema-form/schema.ts'
import { SchemaField } from '../../schema-form/schema-field.tsx'
import { initialValues, payloadOf } from '../../schema-form/values.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { type Job, may, type Workflow } from '../../service/types.ts'
import { connectTexts } from '../../texts/connect.ts'
import { workflowsTexts } from '../../texts/workflows.ts'
import { schemaConfig } from '../connectors/connector-type.ts'
import type { Connector, ConnectorType, ScopeOptions } from '../connectors/types.ts'
import { ScheduleField } from '../workflows/schedule/schedule-field.tsx'
import { UTC } from '../workflows/schedule/schedules.ts'
import { freeName } from './draft.ts'
import { EstimateText } from './estimate-text.tsx'
import { estimateRun } from './run-estimate.ts'
import { ScopeChoice } from './scope-choice.tsx'
import type { Guide } from './use-guide.ts'

const texts = connectTexts.run

type Props = {
  guide: Guide
  type: ConnectorType
  source: Connector
  destination: Connector
  workflows: Workflow[]
}

/** Narrows the source, creates the workflow and starts it. */
export function RunForm(props: Props) {
  const { type, source, destination } = props
  const mayChange = may(useWorkspace().role, 'developer')
  const settings = settingsOf(type, source, mayChange)
  const { fields, scopeField, limitFields, stored } = settings
  const scopes = useScopes({ type, source, config: payloadOf(fields, stored), scopeField })
  const form = useRunForm(props, settings)
  const { values } = form
  const limitOf = (kind: 'scopes' | 'documents') => {
    const value = values[limitFields.find(({ limits }) => limits === kind)?.name ?? '']
    return typeof value === 'number' ? value : null
  }
  const limits = { scopes: limitOf('scopes'), documents: limitOf('documents') }
  const estimate = scopes.data && estimateRun(scopes.data, values.isAll ? null : values.keys, limits)
  const documentLimit = limitFields.find((field) => field.limits === 'documents')

  return (
    <form {...form.form} autoComplete="off">
      <Stack gap="md" maw={640}>
        <FormErrors failure={form.failure} />
        {scopeField ? (
          <ScopeChoice
            terms={type.terms}
            scopes={scopes}
            isAll={values.isAll}
            keys={values.keys}
            limit={limits.documents}
            error={form.field('keys').error}
            onChange={(changes) => form.set(changes)}
          />
        ) : null}
        <Group align="flex-start" grow preventGrowOverflow={false}>
          {limitFields.map((field) => (
            <SchemaField key={field.name} {...(form.field(field.name) as FieldProps<Value>)} field={field} />
          ))}
        </Group>
        {estimate ? (
          <EstimateText
            estimate={estimate}
            terms={type.terms}
            onRaise={documentLimit ? () => form.set({ [documentLimit.name]: estimate.needed }) : undefined}
          />
        ) : scopes.isLoading ? (
          <Text size="sm" c="dimmed">
            {texts.counting(type.terms)}
          </Text>
        ) : null}
        <ScheduleField
          value={{ schedule: values.schedule || null, timezone: values.schedule_timezone }}
          error={form.field('schedule').error}
          zoneError={form.field('schedule_timezone').error}
          onChange={({ schedule, timezone }) =>
            form.set({ schedule: schedule ?? '', schedule_timezone: timezone })
          }
        />
        <TextInput label={workflowsTexts.form.name} withAsterisk autoComplete="off" {...form.field('name')} />
        <Text size="sm" c="dimmed">
          {texts.what(destination.name)}
        </Text>
        <Group>
          <Button type="submit" loading={form.sending}>
            {texts.start}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The settings of the source that the form shows to those who may change them, with their stored values. */
function settingsOf(type: ConnectorType, source: Connector, mayChange: boolean) {
  const fields = fieldsOf(type.schema)
  const scopeField = mayChange ? fields.find(({ widget }) => widget === 'scopes') : undefined
  const limitFields = fields.filter(({ limits }) => limits && mayChange)
  const stored = initialValues(fields, schemaConfig(type, source.config))
  const storedKeys = scopeField ? [stored[scopeField.name] ?? []].flat().map(String) : []
  return { fields, scopeField, limitFields, stored, storedKeys }
}

function useRunForm(
  { guide, type, source, destination, workflows }: Props,
  { fields, scopeField, limitFields, stored, storedKeys }: ReturnType<typeof settingsOf>,
) {
  // A run that could not start left its workflow.
  const workflow = workflows.find(({ id }) => id === guide.workflow)
  const api = useApi()
  return useForm({
    schema: formSchema(type.terms),
    initial: {
      name:
        workflow?.name ??
        freeName(
          texts.workflowName(source.name, destination.name),
          workflows.map((each) => each.name),
        ),
      schedule: workflow?.schedule.crontab_entries[0]?.cron_expression ?? '',
      schedule_timezone: workflow?.schedule_timezone ?? UTC,
      isAll: storedKeys.length === 0,
      keys: storedKeys,
      ...Object.fromEntries(limitFields.map(({ name }) => [name, stored[name]])),
    } as FormValues,
    submit: async (values) => {
      const { name, schedule, schedule_timezone, isAll, keys, ...limits } = values as FormValues
      const chosen: Values = {
        ...stored,
        ...limits,
        ...(scopeField ? { [scopeField.name]: isAll ? [] : keys } : {}),
      }
      const config = payloadOf(fields, chosen)
      const isChanged = JSON.stringify(config) !== JSON.stringify(payloadOf(fields, stored))
      if (isChanged) await api.put(`/sources/${source.id}`, { config })
      const body = {
        name,
        source_id: source.id,
        destination_id: destination.id,
        schedule: schedule || null,
        schedule_timezone,
      }
      const { id } = workflow
        ? await api.put<Workflow>(`/workflows/${workflow.id}`, body)
        : await api.post<Workflow>('/workflows', { ...body, workflow_type: 'custom' })
      // If the run cannot start, the next attempt uses the same workflow.
      await guide.go({ workflow: id })
      const job = await api.post<Job>(`/workflows/${id}/run`)
      await api.refresh('/sources', '/workflows', '/jobs', '/overview')
      await guide.go({ workflow: id, job: job.id })
    },
  })
}

type ScopesInput = {
  type: ConnectorType
  source: Connector
  config: Record<string, unknown>
  scopeField: Field | undefined
}

/** All scopes of the source, with their sizes. */
function useScopes({ type, source, config, scopeField }: ScopesInput) {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  return useQuery({
    queryKey: ['api', workspaceId, 'sources', source.id, 'options', { at: source.updated_at }],
    queryFn: async () => {
      const { [scopeField?.name ?? '']: _, ...others } = config
      const body = { type: type.type, config: others, source_id: source.id }
      return (await api.post<ScopeOptions>('/sources/options', body)).spaces
    },
    enabled: scopeField !== undefined && type.capabilities.includes('scopes'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

function formSchema(terms: ConnectorType['terms']) {
  return z
    .looseObject({
      name: z.string().trim(),
      schedule: z.string(),
      schedule_timezone: z.string(),
      isAll: z.boolean(),
      keys: z.array(z.string()),
    })
    .superRefine(({ name, isAll, keys }, context) => {
      const issue = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message })
      if (!name) issue('name', workflowsTexts.form.nameMissing)
      if (!isAll && keys.length === 0) issue('keys', texts.noneChosen(terms))
    })
}

type FormValues = {
  name: string
  schedule: string
  schedule_timezone: string
  isAll: boolean
  keys: string[]
} & Record<string, Value>
