import { eventsOf } from '../../service/events.ts'
import type { Api } from '../../service/session.ts'
import type { Progress } from './types.ts'

/** Polls until the stream opens again. */
const REOPEN_MS = 10_000

type FollowOptions = {
  signal: AbortSignal
  /** Whether events arrive. */
  onStreaming: (works: boolean) => void
  onProgress: (progress: Progress) => void
  onWarning: () => void
  onDone: () => void
}

/** Reads a job's events to the end, and resumes after a break. */
export async function followJob(api: Api, jobId: string, following: FollowOptions): Promise<void> {
  const { signal, onStreaming, onDone } = following
  const at: { last?: string } = {}
  while (!signal.aborted) {
    const end = await readEvents(api, jobId, { ...following, at }).catch(() => 'broken' as const)
    if (signal.aborted) return
    if (end === 'done') return onDone()
    onStreaming(false)
    await pause(REOPEN_MS, signal)
  }
}

async function readEvents(
  api: Api,
  jobId: string,
  { signal, onStreaming, onProgress, onWarning, at }: FollowOptions & { at: { last?: string } },
): Promise<'done' | 'broken'> {
  const resume: Record<string, string> = at.last ? { 'last-event-id': at.last } : {}
  const response = await api.open(`/jobs/${jobId}/events`, {
    signal,
    headers: { accept: 'text/event-stream', ...resume },
  })
  // 204: no more events.
  if (response.status === 204) return 'done'
  onStreaming(true)
  for await (const { id, event, data } of eventsOf(response)) {
    if (id) at.last = id
    if (event === 'progress') onProgress(JSON.parse(data) as Progress)
    if (event === 'warning') onWarning()
    if (event === 'done') return 'done'
  }
  return 'broken'
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
