/**
 * The catalogue of errors. `status` is for HTTP, `retry` says whether a retry can help. `fails` is the part of
 * a job that fails. `skips` marks documents that are skipped: deleted (`gone`), or `until_changed`.
 */
export const catalogue = {
  invalid_request: { status: 422, retry: false, fails: 'document' },
  unauthorized: { status: 401, retry: false, fails: 'job' },
  forbidden: { status: 403, retry: false, fails: 'document' },
  key_scope: { status: 403, retry: false, fails: 'document' },
  not_found: { status: 404, retry: false, fails: 'document' },
  name_taken: { status: 409, retry: false, fails: 'document' },
  in_use: { status: 409, retry: false, fails: 'document' },
  job_active: { status: 409, retry: false, fails: 'document' },
  not_possible: { status: 409, retry: false, fails: 'document' },
  rate_limited: { status: 429, retry: true, fails: 'document' },
  quota_reached: { status: 429, retry: true, fails: 'document' },
  body_too_large: { status: 413, retry: false, fails: 'document' },
  request_timeout: { status: 408, retry: true, fails: 'document' },
  read_timeout: { status: 503, retry: true, fails: 'document' },
  email_not_supported: { status: 422, retry: false, fails: 'document' },

  identity_not_configured: { status: 403, retry: false, fails: 'document' },
  person_token_invalid: { status: 401, retry: false, fails: 'document' },
  identity_provider_failed: { status: 502, retry: true, fails: 'document' },

  settings_changed: { status: 409, retry: true, fails: 'job' },

  egress_refused: { status: 422, retry: false, fails: 'job' },
  secret_unreadable: { status: 409, retry: false, fails: 'job' },

  source_unreachable: { status: 502, retry: true, fails: 'job' },
  source_unauthorized: { status: 502, retry: false, fails: 'job' },
  source_forbidden: { status: 502, retry: false, fails: 'document' },
  source_not_found: { status: 502, retry: false, fails: 'document' },
  source_space_missing: { status: 502, retry: false, fails: 'job' },
  source_filter_wrong: { status: 502, retry: false, fails: 'job' },
  source_misread: { status: 502, retry: true, fails: 'document' },
  source_not_a_wiki: { status: 502, retry: false, fails: 'job' },
  source_answer_too_long: { status: 502, retry: false, fails: 'document' },
  other_site: { status: 409, retry: false, fails: 'document' },
  source_failed: { status: 502, retry: true, fails: 'document' },

  document_too_large: { status: 422, retry: false, fails: 'document' },
  file_too_large: { status: 422, retry: false, fails: 'document', skips: 'until_changed' },
  document_unsupported: { status: 422, retry: false, fails: 'document', skips: 'until_changed' },
  document_broken: { status: 422, retry: false, fails: 'document' },
  worker_stopped: { status: 500, retry: false, fails: 'document' },
  document_gone: { status: 404, retry: false, fails: 'document', skips: 'gone' },

  embedder_failed: { status: 502, retry: true, fails: 'document' },
  model_failed: { status: 502, retry: true, fails: 'document' },
  model_unauthorized: { status: 502, retry: false, fails: 'document' },
  model_tokens_used_up: { status: 429, retry: false, fails: 'document' },

  destination_unreachable: { status: 502, retry: true, fails: 'job' },
  destination_unauthorized: { status: 502, retry: false, fails: 'job' },
  destination_index_missing: { status: 502, retry: false, fails: 'job' },
  destination_schema: { status: 502, retry: false, fails: 'job' },
  destination_overloaded: { status: 502, retry: true, fails: 'job' },
  index_taken: { status: 409, retry: false, fails: 'job' },
  destination_read_only: { status: 502, retry: false, fails: 'job' },
  destination_rejected: { status: 502, retry: false, fails: 'document' },
  destination_full: { status: 502, retry: false, fails: 'document' },

  cancelled: { status: 409, retry: false, fails: 'job' },
  taken_over: { status: 409, retry: true, fails: 'job' },
  workflow_deleted: { status: 409, retry: false, fails: 'job' },
  client_disconnected: { status: 499, retry: false, fails: 'document' },
  service_closing: { status: 503, retry: true, fails: 'job' },
  internal: { status: 500, retry: true, fails: 'document' },
} as const satisfies Record<string, ErrorMeaning>

type ErrorMeaning = {
  status: number
  retry: boolean
  fails: 'document' | 'job'
  skips?: 'gone' | 'until_changed'
}

export type ErrorCode = keyof typeof catalogue

/** An invalid field; `loc` is its path, such as `['body', 'config', 'url']`. */
export type FieldError = { loc: (string | number)[]; msg: string; type: string }

/** The message names what failed, without remote bodies or secrets; `fix` says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fix: string | undefined
  readonly fields: FieldError[] | undefined
  /** When a refused request can work again. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; fix?: string; fields?: FieldError[]; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fix = options.fix
    this.fields = options.fields
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return catalogue[this.code].status
  }
  get retryable(): boolean {
    return catalogue[this.code].retry
  }
  /** True where every other document would fail too. */
  get endsJob(): boolean {
    return catalogue[this.code].fails === 'job'
  }
  /** Set where the document is skipped; `until_changed` holds until its version changes. */
  get skips(): 'gone' | 'until_changed' | undefined {
    const meaning: ErrorMeaning = catalogue[this.code]
    return meaning.skips
  }
}

export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found`)
}

export function invalid(loc: FieldError['loc'], msg: string, type = 'value_error'): AppError {
  return new AppError('invalid_request', msg, { fields: [{ loc, msg, type }] })
}

/** The message and the fix. Unexpected errors show no details. */
export function explain(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof AppError) {
    return { code: error.code, message: error.fix ? `${error.message}. ${error.fix}` : error.message }
  }
  return { code: 'internal', message: 'an unexpected error; search the log for the job id' }
}
