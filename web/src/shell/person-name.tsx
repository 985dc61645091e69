import { IconUserCircle } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import type { Session } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import classes from './shell.module.css'

type Props = { session: Session } & ComponentProps<'button'>

/** The button of the person's menu. */
export function PersonName({ session: { user }, ...props }: Props) {
  return (
    <button
      {...props}
      type="button"
      className={classes.link}
      aria-haspopup="menu"
      aria-label={shellTexts.person(user.name || user.email)}
    >
      <IconUserCircle size={18} aria-hidden="true" />
      <span className={classes.name}>{user.name || user.email}</span>
    </button>
  )
}
