import { MillraceError } from './errors.ts'
import { type EventOptions, type JobProgress, jobEvents } from './events.ts'
import type { CallOptions, QueryOf, Request } from './operations.ts'
import { byCursor } from './paging.ts'
import { pause } from './retry.ts'
import type { Job, JobDocuments } from './schema.ts'
import type { Send } from './transport.ts'

export type JobDocument = JobDocuments['items'][number]
export type WaitOptions = {
  /** Called with each change; without events, with each poll. */
  onProgress?: ((progress: JobProgress | Job) => void) | undefined
  signal?: AbortSignal | undefined
  pollMs?: number | undefined
}

type DocumentFilters = Omit<QueryOf<'GET /api/v1/jobs/{id}/documents'>, 'cursor'>

const POLL_MS = 2000

/** Jobs: runs of workflows. */
export function jobsOf(request: Request, send: Send) {
  const get = (id: string, options?: CallOptions): Promise<Job> =>
    request('GET /api/v1/jobs/{id}', { ...options, path: { id } })
  return {
    list: (query?: QueryOf<'GET /api/v1/jobs'>, options?: CallOptions) =>
      request('GET /api/v1/jobs', { ...options, query }),
    get,
    details: (id: string, options?: CallOptions) =>
      request('GET /api/v1/jobs/{id}/details', { ...options, path: { id } }),
    /** All pages, one after the other. */
    documents: (
      id: string,
      query: DocumentFilters = {},
      options?: CallOptions,
    ): AsyncGenerator<JobDocument> =>
      byCursor((cursor) =>
        request('GET /api/v1/jobs/{id}/documents', { ...options, path: { id }, query: { ...query, cursor } }),
      ),
    failedFiles: (id: string, options?: CallOptions) =>
      request('GET /api/v1/jobs/{id}/failed-files', { ...options, path: { id } }),
    cancel: (id: string, options?: CallOptions) =>
      request('POST /api/v1/jobs/{id}/cancel', { ...options, path: { id } }),
    /** Starts a job for the documents that failed. */
    retry: (id: string, options?: CallOptions) =>
      request('POST /api/v1/jobs/{id}/retry', { ...options, path: { id } }),
    approveDeletions: (id: string, options?: CallOptions) =>
      request('POST /api/v1/jobs/{id}/approve-deletions', { ...options, path: { id } }),
    events: (id: string, options?: EventOptions) => jobEvents(send, id, options),
    /** Resolves when the job has ended, with any result. */
    wait: (id: string, options?: WaitOptions) =>
      waitForJob(id, { get, events: (o) => jobEvents(send, id, o) }, options),
  }
}

type Reading = {
  get(id: string, options?: CallOptions): Promise<Job>
  events(options: EventOptions): ReturnType<typeof jobEvents>
}

/** Follows events, and polls if a proxy does not let them through. */
async function waitForJob(id: string, { get, events }: Reading, options: WaitOptions = {}): Promise<Job> {
  const { onProgress, signal, pollMs = POLL_MS } = options
  try {
    for await (const { event, data } of events({ signal })) if (event === 'progress') onProgress?.(data)
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof MillraceError) || [401, 403, 404].includes(error.status)) throw error
  }
  while (true) {
    const job = await get(id, { signal })
    if (job.status !== 'SCHEDULED' && job.status !== 'IN_PROGRESS') return job
    onProgress?.(job)
    await pause(pollMs, signal)
  }
}
