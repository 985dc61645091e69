/** What a connection check answers, step by step, and what a job has to say beyond its documents. */
export type CheckStep = {
  name: string
  status: 'ok' | 'failed' | 'warning' | 'skipped'
  detail: string
  fix?: string
}
export type CheckReport = { ok: boolean; reason: string | null; steps: CheckStep[] }

/** Something the job has to say that is not a document's failure. */
export type Warning = { code: string; message: string; documents?: number }
