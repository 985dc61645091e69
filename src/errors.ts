/**
 * The catalogue of errors. `status` is for HTTP, `retry` says whether a retry can help. `ends` is what fails
 * in a job. `skips` marks documents skipped as `gone`, or `as_it_is` until they change.
 */
export const catalogue = {
  invalid_request: { status: 422, retry: false, ends: 'document' },
  unauthorized: { status: 401, retry: false, ends: 'job' },
  forbidden: { status: 403, retry: false, ends: 'document' },
  not_found: { status: 404, retry: false, ends: 'document' },
  name_taken: { status: 409, retry: false, ends: 'document' },
  in_use: { status: 409, retry: false, ends: 'document' },
  job_active: { status: 409, retry: false, ends: 'document' },
  not_possible: { status: 409, retry: false, ends: 'document' },
  rate_limited: { status: 429, retry: true, ends: 'document' },
  body_too_large: { status: 413, retry: false, ends: 'document' },

  egress_refused: { status: 422, retry: false, ends: 'job' },
  secret_unreadable: { status: 409, retry: false, ends: 'job' },

  source_unreachable: { status: 502, retry: true, ends: 'job' },
  source_unauthorized: { status: 502, retry: false, ends: 'job' },
  source_forbidden: { status: 502, retry: false, ends: 'document' },
  source_not_found: { status: 502, retry: false, ends: 'document' },
  source_space_missing: { status: 502, retry: false, ends: 'job' },
  source_filter_wrong: { status: 502, retry: false, ends: 'job' },
  source_misread: { status: 502, retry: true, ends: 'document' },
  source_not_a_wiki: { status: 502, retry: false, ends: 'job' },
  source_answer_too_long: { status: 502, retry: false, ends: 'document' },
  source_failed: { status: 502, retry: true, ends: 'document' },

  document_too_large: { status: 422, retry: false, ends: 'document' },
  file_too_large: { status: 422, retry: false, ends: 'document', skips: 'as_it_is' },
  document_unsupported: { status: 422, retry: false, ends: 'document', skips: 'as_it_is' },
  document_broken: { status: 422, retry: false, ends: 'document' },
  document_gone: { status: 404, retry: false, ends: 'document', skips: 'gone' },

  embedder_failed: { status: 502, retry: true, ends: 'document' },
  model_failed: { status: 502, retry: true, ends: 'document' },
  model_unauthorized: { status: 502, retry: false, ends: 'document' },

  destination_unreachable: { status: 502, retry: true, ends: 'job' },
  destination_unauthorized: { status: 502, retry: false, ends: 'job' },
  destination_index_missing: { status: 502, retry: false, ends: 'job' },
  destination_schema: { status: 502, retry: false, ends: 'job' },
  destination_overloaded: { status: 502, retry: true, ends: 'job' },
  destination_read_only: { status: 502, retry: false, ends: 'job' },
  destination_rejected: { status: 502, retry: false, ends: 'document' },

  cancelled: { status: 409, retry: false, ends: 'job' },
  internal: { status: 500, retry: true, ends: 'document' },
} as const satisfies Record<string, ErrorMeaning>

type ErrorMeaning = {
  status: number
  retry: boolean
  ends: 'document' | 'job'
  skips?: 'gone' | 'as_it_is'
}

export type ErrorCode = keyof typeof catalogue

/** An invalid field; `loc` is its path, such as `['body', 'config', 'url']`. */
export type FieldError = { loc: (string | number)[]; msg: string; type: string }

/** The message names what failed, without remote bodies or secrets; `fix` says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fix: string | undefined
  readonly fields: FieldError[] | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; fix?: string; fields?: FieldError[] } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fix = options.fix
    this.fields = options.fields
  }

  get status(): number {
    return catalogue[this.code].status
  }
  get retryable(): boolean {
    return catalogue[this.code].retry
  }
  /** True where every other document would fail too. */
  get endsJob(): boolean {
    return catalogue[this.code].ends === 'job'
  }
  /** Set where the document is skipped; `as_it_is` holds until its version changes. */
  get skips(): 'gone' | 'as_it_is' | undefined {
    const meaning: ErrorMeaning = catalogue[this.code]
    return meaning.skips
  }
}

/** The message and the fix. Unexpected errors show no details. */
export function explain(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof AppError) {
    return { code: error.code, message: error.fix ? `${error.message}. ${error.fix}` : error.message }
  }
  return { code: 'internal', message: 'an unexpected error; search the log for the job id' }
}
