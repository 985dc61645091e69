import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './choice-tile.module.css'

type Props = {
  icon: ReactNode
  /** A link with the class `open`, which covers the tile. */
  title: ReactNode
  text: string
  /** Another link. */
  more?: ReactNode
}

/** One of several ways to go on. */
export function ChoiceTile({ icon, title, text, more }: Props) {
  return (
    <div className={classes.tile}>
      <span className={classes.icon}>{icon}</span>
      <div>
        {title}
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {more ? <span className={classes.above}>{more}</span> : null}
      </div>
    </div>
  )
}

/** Of the link in the title. */
export const openTile = classes.open
