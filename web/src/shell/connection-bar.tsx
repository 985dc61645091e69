import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Logo } from '../components/logo.tsx'
import { useNotices } from '../components/notices.tsx'
import { basePath } from '../service/base-path.ts'
import { currentConnection, markAnswered, markAway, onConnectionChange } from '../service/connection.ts'
import { shellTexts } from '../texts/shell.ts'
import { clockTime } from '../texts/times.ts'
import classes from './shell.module.css'

const FIRST_PROBE_MS = 1000
const MAX_PROBE_MS = 10_000

/** Says that the data is old while the service is away, and loads it again afterwards. */
export function ConnectionBar() {
  const { isAway, answeredAt } = useSyncExternalStore(onConnectionChange, currentConnection)
  const client = useQueryClient()
  const notices = useNotices()
  const wasAway = useRef(false)

  // Queries pause without a network, so no request would notice.
  useEffect(() => {
    window.addEventListener('offline', markAway)
    return () => window.removeEventListener('offline', markAway)
  }, [])

  useEffect(() => {
    if (isAway) {
      wasAway.current = true
      return probeUntilAnswered()
    }
    if (!wasAway.current) return
    wasAway.current = false
    notices.announce(shellTexts.away.back)
    void client.refetchQueries({ type: 'active' })
  }, [isAway, client, notices])

  return (
    <div role="status" className={classes.connection} hidden={!isAway}>
      {isAway ? (
        <>
          <Logo size={18} turning />
          {shellTexts.away.bar(clockTime(answeredAt))}
        </>
      ) : null}
    </div>
  )
}

/** Backs off, so that many open pages do not slow down a starting service. */
function probeUntilAnswered(): () => void {
  let delay = FIRST_PROBE_MS
  let timer = setTimeout(probe, delay)
  const onOnline = () => {
    clearTimeout(timer)
    void probe()
  }
  window.addEventListener('online', onOnline)

  async function probe(): Promise<void> {
    const isReady = await fetch(`${basePath}/readyz`, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return markAnswered()
    delay = Math.min(delay * 1.5, MAX_PROBE_MS)
    timer = setTimeout(probe, delay)
  }

  return () => {
    clearTimeout(timer)
    window.removeEventListener('online', onOnline)
  }
}
