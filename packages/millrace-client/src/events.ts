import { MillraceError } from './errors.ts'
import { fill } from './operations.ts'
import { delayMs, pause, RETRY_DEFAULTS } from './retry.ts'
import type { Job, JobDetails } from './schema.ts'
import type { Send } from './transport.ts'

export type ServerEvent = { id: string | undefined; event: string; data: string }

export type JobProgress = Pick<Job, 'status' | 'processing_status' | 'found' | 'counts'> & {
  job_id: string
  node_stats: JobDetails['node_stats']
  /** `total` is null while it is not known. */
  stages: { name: 'list' | 'work' | 'remove'; done: number; total: number | null }[]
  rates: { documents_per_second: number; elements_per_second: number }
  eta_seconds: number | null
}
export type JobEnd = Pick<Job, 'status' | 'processing_status' | 'counts' | 'runtime'> & {
  job_id: string
  message: string | null
}
export type JobEvent =
  | { id: string; event: 'progress'; data: JobProgress }
  | { id: string; event: 'warning'; data: JobDetails['warnings'][number] }
  | { id: string; event: 'done'; data: JobEnd }

export type EventOptions = {
  /** The id of the last event that was received earlier. */
  lastEventId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Connections in a row that may be lost before or after their last event. */
const MAX_LOST = 5

/** Follows a job until it ends; after a lost connection it resumes where it was. */
export async function* jobEvents(
  send: Send,
  jobId: string,
  { lastEventId, signal }: EventOptions = {},
): AsyncGenerator<JobEvent> {
  const path = fill('/api/v1/jobs/{id}/events', { id: jobId })
  let last = lastEventId
  for (let lost = 0; lost < MAX_LOST; lost++) {
    const headers = { accept: 'text/event-stream', ...(last ? { 'last-event-id': last } : {}) }
    const response = await send('GET', path, { headers, signal })
    if (response.status === 204) return
    try {
      for await (const { id, event, data } of eventsOf(response)) {
        lost = 0
        last = id ?? last
        // The route documents these three kinds.
        yield { id: last ?? '', event, data: JSON.parse(data) } as JobEvent
        if (event === 'done') return
      }
    } catch {
      signal?.throwIfAborted()
    }
    await pause(delayMs(lost, undefined, RETRY_DEFAULTS), signal)
  }
  throw new MillraceError(`events of job ${jobId}`, { status: 0 })
}

/** The service sends something every 15 s; a longer silence is a lost connection. */
const SILENCE_MS = 60_000

/** Reads server-sent events. EventSource cannot send headers. */
export async function* eventsOf(response: Response, silenceMs = SILENCE_MS): AsyncGenerator<ServerEvent> {
  if (!response.body) return
  // Not `for await`: Safari cannot iterate streams.
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await withinTime(reader.read(), silenceMs)
      if (done) return
      rest += value
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = eventOf(block)
        if (event) yield event
      }
    }
  } finally {
    // Ends the connection if the caller stops early.
    await reader.cancel().catch(() => {})
  }
}

async function withinTime<T>(reading: Promise<T>, ms: number): Promise<T | { done: true; value: undefined }> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<{ done: true; value: undefined }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), ms)
  })
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer))
}

function eventOf(block: string): ServerEvent | undefined {
  let event = 'message'
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value
    else if (name === 'id') id = value
    else if (name === 'data') data.push(value)
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : undefined
}
