import { Alert, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { FieldProps } from '../../../schema-form/form.ts'
import type { Field, Value } from '../../../schema-form/schema.ts'
import { SchemaFields } from '../../../schema-form/schema-fields.tsx'
import { initialValues } from '../../../schema-form/values.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { changeNode, exceedsEmbedderLimit } from '../draft/draft.ts'
import { settingFields, subtypeOf, subtypeOptions, withSubtype } from '../draft/node-subtypes.ts'
import { useProviders } from '../queries.ts'
import type { DraftNode } from '../types.ts'
import { useEditing } from './editing.ts'

const texts = workflowsTexts.node

/** Changes apply to the draft immediately. */
export function NodeForm({ node }: { node: DraftNode }) {
  const { draft, change, errors, disabled } = useEditing()
  const { key, type, settings } = node
  const subtype = subtypeOf(node)
  const fields = settingFields(subtype)
  const values = initialValues(fields, settings)
  const options = subtypeOptions(type, useProviders(), subtype)
  const edit = (field: string, next: (node: DraftNode) => DraftNode) =>
    change(`${key}.${field}`, (now) => changeNode(now, key, next))

  const input = (name: string): FieldProps<Value> => ({
    name,
    value: values[name] ?? '',
    error: errors[`${key}.settings.${name}`],
    'aria-invalid': errors[`${key}.settings.${name}`] ? true : undefined,
    onChange: (next) => {
      const value = isEvent(next) ? next.currentTarget.value : next
      edit(`settings.${name}`, (now) => ({ ...now, settings: withSetting(now.settings, name, value) }))
    },
  })

  return (
    <Stack gap="md">
      <NodeErrors nodeKey={key} fields={fields} />
      <TextInput
        label={texts.name}
        autoComplete="off"
        disabled={disabled}
        value={node.name}
        onChange={({ currentTarget: { value } }) => edit('name', (now) => ({ ...now, name: value }))}
      />
      {options.length > 1 ? (
        <Select
          label={texts.subtype}
          data={options.map(({ subtype, missing }) => ({
            value: subtype,
            label: missing
              ? texts.unset(texts.subtypes[subtype] ?? subtype, missing)
              : (texts.subtypes[subtype] ?? subtype),
            disabled: missing !== null,
          }))}
          value={subtype}
          allowDeselect={false}
          disabled={disabled}
          onChange={(next) => next && edit('subtype', (now) => withSubtype(now, next))}
        />
      ) : null}
      {(type === 'chunk' || type === 'embed') && exceedsEmbedderLimit(draft) ? (
        <Alert variant="outline" color="var(--mr-warning)" icon={<IconAlertTriangle size={18} />} p="sm">
          {workflowsTexts.editor.chunksTooLong}
        </Alert>
      ) : null}
      <SchemaFields fields={fields} input={input} disabled={disabled} />
      <OtherSettings node={node} fields={fields} />
    </Stack>
  )
}

/** Errors of the node that no field shows. */
function NodeErrors({ nodeKey, fields }: { nodeKey: string; fields: Field[] }) {
  const { errors } = useEditing()
  const own = new Set(fields.map(({ name }) => `${nodeKey}.settings.${name}`))
  const lines = Object.entries(errors).filter(([path]) => path.startsWith(`${nodeKey}.`) && !own.has(path))
  if (lines.length === 0) return null
  return (
    <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} p="sm">
      {lines.map(([path, line]) => (
        <Text key={path} size="sm">
          {line}
        </Text>
      ))}
    </Alert>
  )
}

function OtherSettings({ node, fields }: { node: DraftNode; fields: Field[] }) {
  const shown = new Set(['is_dynamic', 'allow_fast', 'strategy', ...fields.map(({ name }) => name)])
  const others = Object.keys(node.settings).filter((name) => !shown.has(name))
  if (others.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      {texts.otherSettings(others.join(', '))}
    </Text>
  )
}

/** Empty or off means the service's default, so it is omitted. */
function withSetting(settings: Record<string, unknown>, name: string, value: Value): Record<string, unknown> {
  const { [name]: _, ...others } = settings
  const absent = value === '' || value === false || (Array.isArray(value) && value.length === 0)
  return absent ? others : { ...others, [name]: value }
}

function isEvent(next: unknown): next is { currentTarget: { value: string } } {
  return typeof next === 'object' && next !== null && 'currentTarget' in next
}
