import { Anchor, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { SettingText } from '../../../components/setting-text.tsx'
import { focusField, inputOf, labelOf } from '../../../schema-form/labels.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { capitalized } from '../../../texts/nouns.ts'
import { stateTexts } from '../../../texts/states.ts'
import type { Check } from '../types.ts'
import classes from './check-steps.module.css'

type Step = Check['steps'][number]

const icons = {
  ok: IconCircleCheck,
  failed: IconCircleX,
  warning: IconAlertTriangle,
  skipped: IconCircleMinus,
  pending: IconCircleDashed,
} satisfies Record<Step['status'], unknown>

const STEP_DELAY_MS = 70

/** Each step with its result and, after a failure, what to do. */
export function CheckSteps({ steps }: { steps: Step[] }) {
  const working = steps.findIndex(({ status }) => status === 'pending')
  return (
    <ol className={classes.steps} aria-label={connectorsTexts.check.steps}>
      {steps.map((step, index) => {
        const { name, status, detail, fix, fields } = step
        const isWorking = index === working
        const Icon = isWorking ? IconLoader2 : icons[status]
        return (
          <li
            key={name}
            className={classes.step}
            data-status={isWorking ? 'working' : status}
            style={{ animationDelay: `${index * STEP_DELAY_MS}ms` }}
          >
            <Icon
              size={20}
              stroke={1.75}
              className={classes.icon}
              role="img"
              aria-label={isWorking ? stateTexts.in_progress : stateTexts[status]}
            />
            <div className={classes.text}>
              <Text fw={500} size="sm">
                {capitalized(name)}
              </Text>
              {detail ? (
                <Text size="sm" c="dimmed">
                  {detail}
                </Text>
              ) : null}
              {fix ? (
                <Text size="sm" className={classes.fix}>
                  <strong>{connectorsTexts.check.fix}</strong> <SettingText text={fix} />
                </Text>
              ) : null}
              {fields ? <ToField fields={fields} /> : null}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

/** Goes to the first of the fields that the form on this page shows. */
function ToField({ fields }: { fields: string[] }) {
  const [target, setTarget] = useState<{ name: string; label: string }>()
  // The form appears together with the steps.
  useEffect(() => {
    const name = fields.find((each) => inputOf(each, document))
    const label = name && labelOf(name, document)
    setTarget(label ? { name, label } : undefined)
  }, [fields])
  if (!target) return null
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => focusField(target.name, document)}>
      {connectorsTexts.check.toField(target.label)}
    </Anchor>
  )
}
