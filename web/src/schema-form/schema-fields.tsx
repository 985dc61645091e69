import { Stack, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { type ComponentType, Fragment, useState } from 'react'
import { connectorsTexts } from '../texts/connectors.ts'
import type { SchemaFieldProps } from './field-props.ts'
import type { FieldProps } from './form.ts'
import { ModeChoice } from './mode-choice.tsx'
import { fieldsIn, isGoverned, type Modes } from './modes.ts'
import type { Field, Value } from './schema.ts'
import { SchemaField } from './schema-field.tsx'
import classes from './schema-fields.module.css'

type Props = {
  fields: Field[]
  /** What a field's input is given: its value, its error, what to call when it changes. */
  input: (name: string) => FieldProps<Value>
  modes?: Modes | undefined
  mode?: string
  onMode?: (mode: string) => void
  /** Secrets that are stored. */
  kept?: string[]
  /** Inputs of a kind of their own for some fields, by name. */
  special?: Record<string, ComponentType<SchemaFieldProps>>
  disabled?: boolean
}

/** The questions of a schema: what most people need first, the rest folded away. */
export function SchemaFields(props: Props) {
  const { fields, input, modes, mode = '', kept = [], special = {}, disabled } = props
  const [unfolded, setUnfolded] = useState(false)
  const asked = fieldsIn(fields, modes, mode)
  const main = asked.filter(({ advanced }) => !advanced)
  const advanced = asked.filter((field) => field.advanced)
  const wrong = advanced.some(({ name }) => input(name).error)
  const firstGoverned = main.find(({ name }) => isGoverned(modes, name))

  const draw = (field: Field) => {
    const Input = special[field.name] ?? SchemaField
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
          {modes && field === firstGoverned ? (
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
