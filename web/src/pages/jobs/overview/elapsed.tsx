import { useEffect, useState } from 'react'
import { jobTexts as texts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import { durationMs } from './figures.ts'

/** Ticks by itself, so that nothing else renders again. */
export function Elapsed({ live }: { live: LiveJob }) {
  const ms = useElapsedMs(live)
  if (ms === null) return <span>{texts.waits}</span>
  return <span className="figures">{(live.mode === 'ended' ? texts.took : texts.runs)(duration(ms))}</span>
}

export function useElapsedMs({ job, mode, startedAt }: LiveJob): number | null {
  const [now, setNow] = useState(Date.now)
  const runs = mode !== 'ended'
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [runs])
  if (!runs) return durationMs(job.runtime)
  return startedAt === null ? null : Math.max(0, Math.round((now - startedAt) / 1000) * 1000)
}
