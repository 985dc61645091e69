import { NumberInput, Select } from '@mantine/core'
import { useState } from 'react'
import { Advanced } from '../../../schema-form/advanced.tsx'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { capitalized } from '../../../texts/nouns.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { useEditing } from '../editor/editing.ts'
import { permissionSchedules } from './permission-schedules.ts'

const texts = workflowsTexts.form.permissions
const fields = ['permissionsSchedule', 'maxPermissionAgeHours', 'hideInIndexAfterHours'] as const

/** How often permissions are read, and how old they may get. */
export function PermissionFields() {
  const { draft, change, errors, disabled } = useEditing()
  const { permissionsSchedule: schedule } = draft
  const options = permissionSchedules.includes(schedule)
    ? permissionSchedules
    : [schedule, ...permissionSchedules]
  return (
    <Advanced
      title={connectorsTexts.advanced(fields.length)}
      hasError={fields.some((field) => errors[field] !== undefined)}
    >
      <Select
        label={texts.schedule}
        description={texts.scheduleHelp}
        data={options.map((phrase) => ({
          value: phrase,
          label: texts.phrases[phrase] ?? capitalized(phrase),
        }))}
        value={schedule}
        allowDeselect={false}
        disabled={disabled}
        error={errors.permissionsSchedule}
        onChange={(next) =>
          next && change('permissionsSchedule', (now) => ({ ...now, permissionsSchedule: next }))
        }
      />
      <HoursField field="maxPermissionAgeHours" texts={texts.maxAge} />
      <HoursField field="hideInIndexAfterHours" texts={texts.hideInIndex} />
    </Advanced>
  )
}

type HoursFieldProps = {
  field: 'maxPermissionAgeHours' | 'hideInIndexAfterHours'
  texts: { label: string; help: string; empty: string }
}

function HoursField({ field, texts: { label, help, empty } }: HoursFieldProps) {
  const { draft, change, errors, disabled } = useEditing()
  const [typed, setTyped] = useState<string | number>('')
  const value = draft[field]
  return (
    <NumberInput
      label={label}
      description={help}
      placeholder={empty}
      autoComplete="off"
      styles={{ wrapper: { maxWidth: 240 } }}
      suffix={texts.hours}
      min={0}
      disabled={disabled}
      error={errors[field]}
      // Keeps "0." while it is typed.
      value={hoursOf(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next)
        change(field, (now) => (now[field] === hoursOf(next) ? now : { ...now, [field]: hoursOf(next) }))
      }}
    />
  )
}

function hoursOf(typed: string | number): number | null {
  return typed === '' ? null : Number(typed)
}
