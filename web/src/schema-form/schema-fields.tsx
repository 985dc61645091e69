import { Stack, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { type ComponentType, Fragment, useState } from 'react'
import { connectorsTexts } from '../texts/connectors.ts'
import type { SchemaFieldProps } from './field-props.ts'
import type { FieldProps } from './form.ts'
import { ModeChoice } from './mode-choice.tsx'
import { belongsToModes, fieldsIn, type Mode } from './modes.ts'
import type { Field, Value } from './schema.ts'
import { SchemaField } from './schema-field.tsx'
import classes from './schema-fields.module.css'

type Props = {
  fields: Field[]
  /** The value, error and change handler of a field. */
  input: (name: string) => FieldProps<Value>
  modes?: Mode[]
  mode?: string
  onMode?: (mode: string) => void
  /** Names of stored secrets. */
  kept?: string[]
  /** Inputs by the `widget` of a field. */
  widgets?: Record<string, ComponentType<SchemaFieldProps>>
  disabled?: boolean
}

/** The fields of a schema; advanced ones are folded. */
export function SchemaFields(props: Props) {
  const { fields, input, modes = [], mode = '', kept = [], widgets = {}, disabled } = props
  const [unfolded, setUnfolded] = useState(false)
  const asked = fieldsIn(fields, modes, mode)
  const main = asked.filter(({ advanced }) => !advanced)
  const advanced = asked.filter((field) => field.advanced)
  const wrong = advanced.some(({ name }) => input(name).error)
  const firstOfModes = main.find(({ name }) => belongsToModes(modes, name))

  const draw = (field: Field) => {
    const Input = widgets[field.widget ?? ''] ?? SchemaField
    return (
      <Input
        key={`${mode} ${field.name}`}
        field={field}
        disabled={disabled}
        kept={kept.includes(field.name)}
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
          {draw(field)}
        </Fragment>
      ))}
      {advanced.length > 0 ? (
        <details
          className={classes.fold}
          open={unfolded || wrong}
          onToggle={(event) => setUnfolded(event.currentTarget.open)}
        >
          <summary className={classes.summary}>
            <IconChevronRight size={16} aria-hidden="true" className={classes.arrow} />
            <Text component="span" size="sm" fw={500}>
              {connectorsTexts.advanced(advanced.length)}
            </Text>
          </summary>
          <Stack gap="md" pt="md">
            {advanced.map(draw)}
          </Stack>
        </details>
      ) : null}
    </Stack>
  )
}
