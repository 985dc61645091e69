import { Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
} from '@tabler/icons-react'
import { SettingText } from '../../../components/setting-text.tsx'
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
        const { name, status, detail, fix } = step
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
            </div>
          </li>
        )
      })}
    </ol>
  )
}
