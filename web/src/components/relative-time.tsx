import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { exactTime, relativeTime } from '../texts/times.ts'

// Fine enough for "3 minutes ago" to be true, and no work worth mentioning for a table of them.
const EVERY_MS = 30_000

/** "3 minutes ago", with the exact time in the person's own zone on hover and on focus. */
export function RelativeTime({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  const [, setNow] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span>{absent}</span>
  return (
    <Tooltip label={exactTime(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time has to be within reach of the keyboard. */}
      <time dateTime={at} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {/* The clock, not when it was last looked at: what happened since then would lie in the future. */}
        {relativeTime(at, Date.now())}
      </time>
    </Tooltip>
  )
}
