import { eventsOf } from '../../../../packages/millrace-client/src/events.ts'
import type { Api } from '../../service/session.ts'
import type { Progress } from './types.ts'

/** How long to poll before opening the stream again. */
const REOPEN_MS = 10_000

type FollowOptions = {
  signal: AbortSignal
  /** Called when the stream opens or breaks. */
  onStreaming: (connected: boolean) => void
  onProgress: (progress: Progress) => void
  onWarning: () => void
  onDone: () => void
}

type StreamPosition = { lastEventId?: string }

/** Reads a job's events to the end, and resumes after a broken connection. */
export async function followJob(api: Api, jobId: string, options: FollowOptions): Promise<void> {
  const { signal, onStreaming, onDone } = options
  const position: StreamPosition = {}
  while (!signal.aborted) {
    const end = await readEvents(api, jobId, { ...options, position }).catch(() => 'broken' as const)
    if (signal.aborted) return
    if (end === 'done') return onDone()
    onStreaming(false)
    await pause(REOPEN_MS, signal)
  }
}

async function readEvents(
  api: Api,
  jobId: string,
  { signal, onStreaming, onProgress, onWarning, position }: FollowOptions & { position: StreamPosition },
): Promise<'done' | 'broken'> {
  const resume: Record<string, string> = position.lastEventId ? { 'last-event-id': position.lastEventId } : {}
  const response = await api.open(`/jobs/${jobId}/events`, {
    signal,
    headers: { accept: 'text/event-stream', ...resume },
  })
  // 204: no more events.
  if (response.status === 204) return 'done'
  onStreaming(true)
  for await (const { id, event, data } of eventsOf(response)) {
    if (id) position.lastEventId = id
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
