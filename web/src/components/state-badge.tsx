import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconEyeOff,
  IconLoader2,
  IconLock,
  type IconProps,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { stateTexts } from '../texts/states.ts'
import classes from './state-badge.module.css'

type Tone = 'good' | 'warning' | 'bad' | 'active' | 'neutral'
type State = keyof typeof stateTexts

const badges: Record<State, [Tone, ComponentType<IconProps>]> = {
  SCHEDULED: ['neutral', IconClock],
  IN_PROGRESS: ['active', IconLoader2],
  COMPLETED: ['good', IconCircleCheck],
  SUCCESS: ['good', IconCircleCheck],
  COMPLETED_WITH_ERRORS: ['warning', IconAlertTriangle],
  STOPPED: ['neutral', IconCircleMinus],
  FAILED: ['bad', IconCircleX],
  FAILURE: ['bad', IconCircleX],
  pending: ['neutral', IconCircleDashed],
  in_progress: ['active', IconLoader2],
  new: ['good', IconCircleCheck],
  changed: ['good', IconCircleCheck],
  permissions_only: ['good', IconLock],
  unchanged: ['neutral', IconCircleMinus],
  skipped: ['neutral', IconCircleMinus],
  failed: ['bad', IconCircleX],
  removed: ['neutral', IconCircleMinus],
  active: ['good', IconCircleCheck],
  inactive: ['neutral', IconCircleMinus],
  enabled: ['good', IconCircleCheck],
  disabled: ['neutral', IconCircleMinus],
  ok: ['good', IconCircleCheck],
  warning: ['warning', IconAlertTriangle],
  fresh: ['good', IconCircleCheck],
  stale: ['warning', IconClock],
  hidden: ['bad', IconEyeOff],
  never: ['bad', IconCircleDashed],
}

/** A state by icon, word and colour, never by colour alone. */
export function StateBadge({ state, label }: { state: string; label?: string }) {
  const known = Object.hasOwn(badges, state) ? (state as State) : undefined
  const [tone, Icon] = known ? badges[known] : (['neutral', IconCircleDashed] as const)
  const spinning = Icon === IconLoader2
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={14} stroke={2} aria-hidden="true" className={spinning ? classes.spinning : undefined} />
      {label ?? (known ? stateTexts[known] : state)}
    </span>
  )
}
