import { shellTexts } from '../texts/shell.ts'

const texts = shellTexts.errors

/** Messages by field path, such as `config.url`. */
export type FieldErrors = Record<string, string>

/** An unsuccessful response. Status 0 means no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly path: string
  readonly fields: FieldErrors
  readonly requestId: string | undefined

  constructor(path: string, status: number, body: unknown) {
    const { detail, code, message, request_id: requestId } = objectOf(body)
    const fields = fieldsOf(detail)
    super(translated(texts.said, code, messageOf(detail, message, status)))
    this.path = path
    this.status = status
    this.code = typeof code === 'string' ? code : fields ? 'invalid_request' : ''
    this.fields = fields ?? {}
    this.requestId = typeof requestId === 'string' ? requestId : undefined
  }
}

function objectOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** `{loc: ['body', 'config', 'url'], msg}` becomes `{'config.url': msg}`; the first error per field wins. */
function fieldsOf(detail: unknown): FieldErrors | undefined {
  if (!Array.isArray(detail)) return undefined
  const fields: FieldErrors = {}
  for (const entry of detail) {
    const { loc, msg, type } = objectOf(entry)
    if (typeof msg !== 'string') continue
    const fieldPath = Array.isArray(loc) ? loc.slice(1).join('.') : ''
    fields[fieldPath] ??= translated(texts.fields, type, sentence(msg))
  }
  return fields
}

// The identity library answers with `message` instead of `detail`.
function messageOf(detail: unknown, message: unknown, status: number): string {
  if (typeof detail === 'string' && detail) return sentence(detail)
  if (Array.isArray(detail)) return texts.invalid
  if (typeof message === 'string' && message) return sentence(message)
  if (status === 0) return texts.unreachable
  return texts.unexplained(status)
}

/** The service writes in English, with a code. */
function translated(
  said: Record<string, (message: string) => string>,
  code: unknown,
  message: string,
): string {
  const words = typeof code === 'string' && Object.hasOwn(said, code) ? said[code] : undefined
  return words?.(message) ?? message
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}
