import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../store/database.ts'
import { type UploadUsage, uploadUsage } from '../../store/jobs/upload-usage.ts'
import { cachedAnswer } from './cached-answer.ts'
import type { Uploads } from './forms/uploads.ts'
import { withTimeout } from './monitoring/timeout.ts'

/** Shorter than the time for which a scrape is cached. */
const SHARED_MS = 1000

/** Totals of all workspaces from the database, and the uploads of this process. */
export function addUploadMetrics(
  registry: Registry,
  { db, uploads }: { db: Database; uploads: Uploads },
): void {
  const registers = [registry]
  // The gauges of one scrape share a query.
  const readUsage = cachedAnswer(() => withTimeout(uploadUsage(db, null)), { forMs: SHARED_MS })
  for (const [name, help, value] of totals)
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.reset()
        const usage = await readUsage().catch(() => null)
        if (usage) this.set(value(usage))
      },
    })
  new Gauge({
    name: 'millrace_arriving_uploads',
    help: 'Requests of this process whose files are arriving',
    registers,
    collect() {
      this.set(uploads.arriving())
    },
  })
  new Gauge({
    name: 'millrace_spooled_upload_bytes',
    help: 'Bytes of uploaded files that this process keeps on disk',
    registers,
    collect() {
      this.set(uploads.spooledBytes())
    },
  })
  new Counter({
    name: 'millrace_refused_uploads_total',
    help: 'Uploads that this process refused with 429, by what was used up',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of uploads.refusals()) this.inc({ reason }, count)
    },
  })
}

const totals: [name: string, help: string, value: (usage: UploadUsage) => number][] = [
  ['millrace_active_upload_jobs', 'Active jobs of uploaded files', ({ activeJobs }) => activeJobs],
  [
    'millrace_waiting_upload_bytes',
    'Uploaded files that wait for their job',
    ({ uploadBytes }) => uploadBytes,
  ],
  ['millrace_kept_output_bytes', 'Results of uploaded files that are kept', ({ outputBytes }) => outputBytes],
]
