import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { exactTime, relativeTime } from '../texts/times.ts'

// Keeps "3 minutes ago" accurate.
const EVERY_MS = 30_000

/** "3 minutes ago", with the exact local time on hover and focus. */
export function RelativeTime({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  const [, setNow] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span>{absent}</span>
  return (
    <Tooltip label={exactTime(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the exact time. */}
      <time dateTime={at} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {/* The clock, not the last render: newer events would lie in the future. */}
        {relativeTime(at, Date.now())}
      </time>
    </Tooltip>
  )
}
