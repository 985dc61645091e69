import { Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { Choice } from './choice.ts'
import { NextRuns } from './next-runs.tsx'
import { browserZone, choiceOf, cronOf, intervals, scheduleFrom, UTC, zoneNames } from './schedules.ts'

const texts = workflowsTexts.schedule

/** In the API's words; the zone counts for times of day. */
export type Timing = { schedule: string | null; timezone: string }

type Props = {
  value: Timing
  disabled?: boolean
  error?: string | undefined
  zoneError?: string | undefined
  onChange: (timing: Timing) => void
}

const timedModes = ['daily', 'weekly', 'monthly', 'cron'] as const
const FIRST_TIME = '06:00'

/** An interval, a time of day, or cron; shows the next runs. */
export function ScheduleField({ value, disabled = false, error, zoneError, onChange }: Props) {
  const choice = choiceOf(value.schedule)
  // A person who types cron keeps the field, also if the expression is a time of day.
  const [typesCron, setTypesCron] = useState(choice.mode === 'cron')
  const [typed, setTyped] = useState<string>()
  const cron = typed ?? cronText(choice)
  const set = (next: Choice) => onChange({ ...value, schedule: scheduleFrom(next) })

  function choose(option: string): void {
    setTypesCron(option === 'cron')
    setTyped(option === 'cron' ? cronText(choice) : undefined)
    const next = choiceFor(option, choice)
    const isFirstTime = 'time' in next && !('time' in choice) && value.timezone === UTC
    onChange({ schedule: scheduleFrom(next), timezone: isFirstTime ? browserZone() : value.timezone })
  }

  const isTimed = typesCron || choice.mode === 'cron' || 'time' in choice
  return (
    <Stack gap="xs">
      <Select
        name="schedule"
        label={texts.label}
        description={texts.help}
        data={[
          { value: 'never', label: workflowsTexts.form.never },
          ...intervals.map((phrase) => ({
            value: phrase,
            label: texts.phrases[phrase] ?? capitalized(phrase),
          })),
          ...timedModes.map((mode) => ({ value: mode, label: texts.modes[mode] })),
        ]}
        value={typesCron ? 'cron' : choice.mode === 'interval' ? choice.phrase : choice.mode}
        allowDeselect={false}
        disabled={disabled}
        error={typesCron ? undefined : error}
        onChange={(option) => option && choose(option)}
      />
      {isTimed ? (
        <Stack gap="xs" pl="md" style={{ borderLeft: '2px solid var(--mr-line)' }}>
          {typesCron || choice.mode === 'cron' ? (
            <TextInput
              label={texts.cron}
              description={texts.cronHelp}
              placeholder="30 6 * * 1-5"
              classNames={{ input: 'mono' }}
              autoComplete="off"
              spellCheck={false}
              disabled={disabled}
              error={error}
              value={cron}
              onChange={({ currentTarget: { value: text } }) => {
                setTyped(text)
                set({ mode: 'cron', cron: text })
              }}
            />
          ) : (
            <TimeOfDay choice={choice} disabled={disabled} onChange={set} />
          )}
          <Select
            name="schedule_timezone"
            label={texts.zone}
            data={zoneNames(value.timezone)}
            value={value.timezone}
            searchable
            allowDeselect={false}
            limit={100}
            disabled={disabled}
            error={zoneError}
            onChange={(timezone) => timezone && onChange({ ...value, timezone })}
          />
        </Stack>
      ) : null}
      {value.schedule ? <NextRuns schedule={value.schedule} timezone={value.timezone} /> : null}
    </Stack>
  )
}

// Weeks start on Monday.
const WEEK = [1, 2, 3, 4, 5, 6, 0]
// Later days do not exist in every month.
const DAYS = Array.from({ length: 28 }, (_, index) => String(index + 1))

type TimeProps = { choice: Choice; disabled: boolean; onChange: (choice: Choice) => void }

function TimeOfDay({ choice, disabled, onChange }: TimeProps) {
  if (!('time' in choice)) return null
  return (
    <Stack gap="xs">
      {choice.mode === 'weekly' ? (
        <Checkbox.Group
          label={texts.days}
          value={choice.days.map(String)}
          onChange={(days) =>
            // A week without a day would run on all of them.
            days.length > 0 && onChange({ ...choice, days: days.map(Number).toSorted((a, b) => a - b) })
          }
        >
          <Group gap="xs 16px" mt={4}>
            {WEEK.map((day) => (
              <Checkbox key={day} value={String(day)} label={texts.weekdays[day]} disabled={disabled} />
            ))}
          </Group>
        </Checkbox.Group>
      ) : null}
      {choice.mode === 'monthly' ? (
        <Select
          label={texts.day}
          data={DAYS.includes(String(choice.day)) ? DAYS : [...DAYS, String(choice.day)]}
          value={String(choice.day)}
          allowDeselect={false}
          disabled={disabled}
          onChange={(day) => day && onChange({ ...choice, day: Number(day) })}
        />
      ) : null}
      <TextInput
        type="time"
        label={texts.time}
        disabled={disabled}
        value={choice.time}
        onChange={({ currentTarget: { value: time } }) => time && onChange({ ...choice, time })}
      />
    </Stack>
  )
}

function choiceFor(option: string, before: Choice): Choice {
  const time = 'time' in before ? before.time : FIRST_TIME
  if (option === 'never') return { mode: 'never' }
  if (option === 'daily') return { mode: 'daily', time }
  if (option === 'weekly') return { mode: 'weekly', time, days: [1] }
  if (option === 'monthly') return { mode: 'monthly', time, day: 1 }
  return option === 'cron' ? before : { mode: 'interval', phrase: option }
}

/** The chosen schedule as cron, to start from. */
function cronText(choice: Choice): string {
  const schedule = scheduleFrom(choice)
  return schedule ? (cronOf(schedule) ?? schedule) : ''
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
