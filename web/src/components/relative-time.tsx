import { useEffect, useState } from 'react'
import { localAndUtc, relativeTime } from '../texts/times.ts'
import { Hint } from './hint.tsx'

// Keeps "3 minutes ago" accurate.
const REFRESH_MS = 30_000

/** "3 minutes ago", with the exact local time and UTC on hover and focus. */
export function RelativeTime({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  const [, setNow] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span>{absent}</span>
  // Uses the current time: events newer than the last render would be in the future.
  return <Time at={at} text={relativeTime(at, Date.now())} />
}

/** Any text that means a time, such as "14:05", with the same hint. */
export function Time({ at, text }: { at: string; text: string }) {
  return (
    <Hint text={localAndUtc(at)}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Hint>
  )
}
