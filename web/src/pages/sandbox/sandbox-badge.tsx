import { IconBox } from '@tabler/icons-react'
import classes from '../../components/state-badge.module.css'
import { sandboxTexts } from '../../texts/sandbox.ts'

export function SandboxBadge() {
  return (
    <span className={classes.badge} data-tone="active">
      <IconBox size={14} stroke={2} aria-hidden="true" />
      {sandboxTexts.badge}
    </span>
  )
}
