import { Stack } from '@mantine/core'
import { type ComponentType, Fragment } from 'react'
import { connectorsTexts } from '../texts/connectors.ts'
import { Advanced } from './advanced.tsx'
import type { SchemaFieldProps } from './field-props.ts'
import type { FieldProps } from './form.ts'
import { ModeChoice } from './mode-choice.tsx'
import { belongsToModes, fieldsIn, type Mode } from './modes.ts'
import type { Field, Value } from './schema.ts'
import { SchemaField } from './schema-field.tsx'

type Props = {
  fields: Field[]
  /** The value, error and change handler of a field. */
  input: (name: string) => FieldProps<Value> & { onBlur?: () => void }
  modes?: Mode[]
  mode?: string
  onMode?: (mode: string) => void
  /** Names of stored secrets. */
  storedSecrets?: string[]
  /** Inputs by the `widget` of a field. */
  widgets?: Record<string, ComponentType<SchemaFieldProps>>
  disabled?: boolean
}

/** The fields of a schema; advanced ones are collapsed. */
export function SchemaFields(props: Props) {
  const { fields, input, modes = [], mode = '', storedSecrets = [], widgets = {}, disabled } = props
  const visible = fieldsIn(fields, modes, mode)
  const main = visible.filter(({ advanced }) => !advanced)
  const advanced = visible.filter((field) => field.advanced)
  const hasError = advanced.some(({ name }) => input(name).error !== undefined)
  const firstOfModes = main.find(({ name }) => belongsToModes(modes, name))

  const renderField = (field: Field) => {
    const Input = widgets[field.widget ?? ''] ?? SchemaField
    return (
      <Input
        // Other fields keep the focus when the mode follows from them.
        key={belongsToModes(modes, field.name) ? `${mode} ${field.name}` : field.name}
        field={field}
        disabled={disabled}
        isStored={storedSecrets.includes(field.name)}
        {...input(field.name)}
      />
    )
  }

  return (
    <Stack gap="md">
      {main.map((field) => (
        <Fragment key={field.name}>
          {field === firstOfModes ? (
            <ModeChoice modes={modes} mode={mode} onMode={props.onMode} disabled={disabled} />
          ) : null}
          {renderField(field)}
        </Fragment>
      ))}
      {advanced.length > 0 ? (
        <Advanced title={connectorsTexts.advanced(advanced.length)} hasError={hasError}>
          {advanced.map(renderField)}
        </Advanced>
      ) : null}
    </Stack>
  )
}
