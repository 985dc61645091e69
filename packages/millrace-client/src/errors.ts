/** An invalid field; `loc` is its path, such as `['body', 'config', 'url']`. */
export type InvalidField = { loc: (string | number)[]; msg: string; type: string }

type Details = {
  status: number
  body?: unknown
  retryAfter?: number | undefined
  cause?: unknown
}

/** A response that is not successful, or none: then `status` is 0. */
export class MillraceError extends Error {
  override readonly name = 'MillraceError'
  readonly status: number
  /** A code of docs/errors.md; empty without a response. */
  readonly code: string
  /** The invalid fields of a 422. */
  readonly fields: InvalidField[]
  /** Seconds to wait before a retry, if the service says so. */
  readonly retryAfter: number | undefined
  /** The parsed body. */
  readonly body: unknown

  constructor(request: string, { status, body, retryAfter, cause }: Details) {
    const { detail, code } = (typeof body === 'object' && body !== null ? body : {}) as Record<
      string,
      unknown
    >
    const fields = Array.isArray(detail) ? (detail as InvalidField[]) : []
    super(`${request}: ${explanation(status, detail, fields)}`, { cause })
    this.status = status
    this.code = typeof code === 'string' ? code : fields.length > 0 ? 'invalid_request' : ''
    this.fields = fields
    this.retryAfter = retryAfter
    this.body = body
  }
}

function explanation(status: number, detail: unknown, fields: InvalidField[]): string {
  if (status === 0) return 'the service cannot be reached'
  if (fields.length > 0) return fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
  return typeof detail === 'string' && detail ? detail : `the service answered ${status}`
}
