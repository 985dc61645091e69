import { useEffect, useState } from 'react'
import { jobTexts as texts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import { durationMs } from './job-numbers.ts'

/** Updates itself every second, so that nothing else renders again. */
export function Elapsed({ live }: { live: LiveJob }) {
  const ms = useElapsedMs(live)
  if (ms === null) return <span>{texts.queued}</span>
  return <span className="figures">{(live.mode === 'ended' ? texts.took : texts.running)(duration(ms))}</span>
}

export function useElapsedMs({ job, mode, startedAt }: LiveJob): number | null {
  const [now, setNow] = useState(Date.now)
  const isRunning = mode !== 'ended'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  if (!isRunning) return durationMs(job.runtime)
  return startedAt === null ? null : Math.max(0, Math.round((now - startedAt) / 1000) * 1000)
}
