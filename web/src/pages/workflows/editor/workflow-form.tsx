import { Stack, Switch, TextInput } from '@mantine/core'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { PermissionFields } from '../permissions/permission-fields.tsx'
import { ScheduleField } from '../schedule/schedule-field.tsx'
import { useEditing } from './editing.ts'

const texts = workflowsTexts.form

export function WorkflowForm() {
  const { draft, change, connectors, errors, disabled } = useEditing()
  const canSwap = connectors.destination?.type?.capabilities.includes('swap')
  return (
    <Stack gap="md">
      <TextInput
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
        zoneError={errors.scheduleTimezone}
        onChange={({ schedule, timezone }) =>
          change('schedule', (now) => ({ ...now, schedule, scheduleTimezone: timezone }))
        }
      />
      <Switch
        label={texts.reprocess}
        description={texts.reprocessHelp}
        disabled={disabled}
        checked={draft.reprocessAll}
        onChange={({ currentTarget: { checked } }) =>
          change('reprocessAll', (now) => ({ ...now, reprocessAll: checked }))
        }
      />
      {canSwap || draft.swapIndex ? (
        <Switch
          label={texts.swap}
          description={texts.swapHelp}
          disabled={disabled}
          checked={draft.swapIndex}
          onChange={({ currentTarget: { checked } }) =>
            change('swapIndex', (now) => ({ ...now, swapIndex: checked }))
          }
        />
      ) : null}
      <PermissionFields />
    </Stack>
  )
}
