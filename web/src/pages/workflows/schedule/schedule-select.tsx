import { Select } from '@mantine/core'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { cronOf, localTime, nextRun, phrases } from './schedules.ts'

const texts = workflowsTexts.form

type Props = { value: string | null; disabled?: boolean; onChange: (phrase: string | null) => void }

/** Shows the next run of the choice. */
export function ScheduleSelect({ value, disabled = false, onChange }: Props) {
  const next = value ? nextRun(cronOf(value) ?? '') : undefined
  return (
    <Select
      label={texts.schedule}
      description={
        next ? `${workflowsTexts.nextRun(localTime(next))}. ${texts.scheduleHelp}` : texts.scheduleHelp
      }
      data={[
        { value: '', label: texts.never },
        ...phrases.map((phrase) => ({
          value: phrase,
          label: phrase.charAt(0).toUpperCase() + phrase.slice(1),
        })),
      ]}
      value={value ?? ''}
      allowDeselect={false}
      disabled={disabled}
      onChange={(phrase) => onChange(phrase || null)}
    />
  )
}
