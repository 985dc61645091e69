import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconLoader2,
  IconLock,
  type IconProps,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { stateTexts } from '../texts/states.ts'
import classes from './state-badge.module.css'

type Tone = 'good' | 'warning' | 'bad' | 'active' | 'still'
type State = keyof typeof stateTexts

const looks: Record<State, [Tone, ComponentType<IconProps>]> = {
  SCHEDULED: ['still', IconClock],
  IN_PROGRESS: ['active', IconLoader2],
  COMPLETED: ['good', IconCircleCheck],
  SUCCESS: ['good', IconCircleCheck],
  COMPLETED_WITH_ERRORS: ['warning', IconAlertTriangle],
  STOPPED: ['still', IconCircleMinus],
  FAILED: ['bad', IconCircleX],
  FAILURE: ['bad', IconCircleX],
  pending: ['still', IconCircleDashed],
  in_progress: ['active', IconLoader2],
  new: ['good', IconCircleCheck],
  changed: ['good', IconCircleCheck],
  permissions_only: ['good', IconLock],
  unchanged: ['still', IconCircleMinus],
  skipped: ['still', IconCircleMinus],
  failed: ['bad', IconCircleX],
  removed: ['still', IconCircleMinus],
  active: ['good', IconCircleCheck],
  inactive: ['still', IconCircleMinus],
  enabled: ['good', IconCircleCheck],
  disabled: ['still', IconCircleMinus],
  ok: ['good', IconCircleCheck],
  warning: ['warning', IconAlertTriangle],
}

/** A state by icon, word and colour, never by colour alone. */
export function StateBadge({ state, label }: { state: string; label?: string }) {
  const known = Object.hasOwn(looks, state) ? (state as State) : undefined
  const [tone, Icon] = known ? looks[known] : (['still', IconCircleDashed] as const)
  const turning = Icon === IconLoader2
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={14} stroke={2} aria-hidden="true" className={turning ? classes.turning : undefined} />
      {label ?? (known ? stateTexts[known] : state)}
    </span>
  )
}
