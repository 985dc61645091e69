import { NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Advanced } from '../../../schema-form/advanced.tsx'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { capitalized } from '../../../texts/nouns.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { permissionSchedules } from '../permissions/permission-schedules.ts'
import { ScheduleField } from '../schedule/schedule-field.tsx'
import { useEditing } from './editing.ts'

const texts = workflowsTexts.form
const advanced = ['permissions_schedule', 'max_permission_age_hours', 'hide_in_index_after_hours'] as const

export function WorkflowForm() {
  const { draft, change, errors, disabled } = useEditing()
  const { permissionsSchedule: schedule } = draft
  const options = permissionSchedules.includes(schedule)
    ? permissionSchedules
    : [schedule, ...permissionSchedules]
  return (
    <Stack gap="md">
      <TextInput
        name="name"
        label={texts.name}
        description={texts.nameHelp}
        placeholder={texts.nameExample}
        autoComplete="off"
        withAsterisk
        disabled={disabled}
        error={errors.name}
        value={draft.name}
        onChange={({ currentTarget: { value } }) => change('name', (now) => ({ ...now, name: value }))}
      />
      <ScheduleField
        value={{ schedule: draft.schedule, timezone: draft.scheduleTimezone }}
        disabled={disabled}
        error={errors.schedule}
        zoneError={errors.schedule_timezone}
        onChange={({ schedule, timezone }) =>
          change('schedule', (now) => ({ ...now, schedule, scheduleTimezone: timezone }))
        }
      />
      <Flag field="reprocessAll" label={texts.reprocess} help={texts.reprocessHelp} />
      <SwapFlag />
      <Advanced
        title={connectorsTexts.advanced(advanced.length)}
        hasError={advanced.some((field) => errors[field] !== undefined)}
      >
        <Select
          name="permissions_schedule"
          label={texts.permissions.schedule}
          description={texts.permissions.scheduleHelp}
          data={options.map((phrase) => ({
            value: phrase,
            label: texts.permissions.phrases[phrase] ?? capitalized(phrase),
          }))}
          value={schedule}
          allowDeselect={false}
          disabled={disabled}
          error={errors.permissions_schedule}
          onChange={(next) =>
            next && change('permissions_schedule', (now) => ({ ...now, permissionsSchedule: next }))
          }
        />
        <HoursField
          field="maxPermissionAgeHours"
          name="max_permission_age_hours"
          texts={texts.permissions.maxAge}
        />
        <HoursField
          field="hideInIndexAfterHours"
          name="hide_in_index_after_hours"
          texts={texts.permissions.hideInIndex}
        />
      </Advanced>
    </Stack>
  )
}

function SwapFlag() {
  const { draft, connectors } = useEditing()
  const canSwap = connectors.destination?.type?.capabilities.includes('swap')
  return canSwap || draft.swapIndex ? (
    <Flag field="swapIndex" label={texts.swap} help={texts.swapHelp} />
  ) : null
}

function Flag({ field, label, help }: { field: 'reprocessAll' | 'swapIndex'; label: string; help: string }) {
  const { draft, change, disabled } = useEditing()
  return (
    <Switch
      label={label}
      description={help}
      disabled={disabled}
      checked={draft[field]}
      onChange={({ currentTarget: { checked } }) => change(field, (now) => ({ ...now, [field]: checked }))}
    />
  )
}

type HoursFieldProps = {
  field: 'maxPermissionAgeHours' | 'hideInIndexAfterHours'
  name: string
  texts: { label: string; help: string; empty: string }
}

function HoursField({ field, name, texts: { label, help, empty } }: HoursFieldProps) {
  const { draft, change, errors, disabled } = useEditing()
  const [typed, setTyped] = useState<string | number>('')
  const value = draft[field]
  return (
    <NumberInput
      name={name}
      label={label}
      description={help}
      placeholder={empty}
      autoComplete="off"
      styles={{ wrapper: { maxWidth: 240 } }}
      suffix={texts.permissions.hours}
      min={0}
      disabled={disabled}
      error={errors[name]}
      // Keeps "0." while it is typed.
      value={hoursOf(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next)
        change(name, (now) => (now[field] === hoursOf(next) ? now : { ...now, [field]: hoursOf(next) }))
      }}
    />
  )
}

function hoursOf(typed: string | number): number | null {
  return typed === '' ? null : Number(typed)
}
