import type { ReactNode } from 'react'
import classes from './data-list.module.css'

/** Names and values in two columns. */
export function DataList({ entries }: { entries: [string, ReactNode][] }) {
  return (
    <dl className={classes.list}>
      {entries.map(([name, value]) => (
        <div key={name} className={classes.entry}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
