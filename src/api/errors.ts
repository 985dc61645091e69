import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type FieldError } from '../errors.ts'

/** Every error that leaves by the API's door: 422 names fields, everything else is one line with its code. */
export function sendError(
  error: FastifyError | AppError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof AppError) return sendAppError(error, reply)
  const fields = fieldsOf(error)
  if (fields) return reply.code(422).send({ detail: fields })

  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  if (status === 429) return reply.code(429).send({ detail: error.message, code: 'rate_limited' })
  if (status >= 400 && status < 500)
    return reply.code(status).send({ detail: plain(error), code: codeOf(status) })
  request.log.error({ err: error, request_id: request.id }, 'a request broke')
  return reply.code(500).send({ detail: 'Internal server error', code: 'internal', request_id: request.id })
}

export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found`)
}

export function invalid(loc: FieldError['loc'], msg: string, type = 'value_error'): AppError {
  return new AppError('invalid_request', msg, { fields: [{ loc, msg, type }] })
}

function sendAppError(error: AppError, reply: FastifyReply): FastifyReply {
  if (error.code === 'invalid_request') {
    return reply
      .code(422)
      .send({ detail: error.fields ?? [{ loc: ['body'], msg: error.message, type: 'value_error' }] })
  }
  const detail = error.fix ? `${error.message}. ${error.fix}` : error.message
  // Clients of the platform API repeat a 5xx for half an hour unless the body says that it is no use.
  const retryable = error.status >= 500 ? { retryable: false } : {}
  return reply.code(error.status).send({ detail, code: error.code, ...retryable })
}

type Issue = {
  instancePath: string
  message?: string
  keyword?: string
  params?: { issue?: { code?: string; keys?: string[]; path?: PropertyKey[] } }
}

/** What the schemas refused, as `loc` paths: `['body', 'config', 'url']`. */
function fieldsOf(error: Error): FieldError[] | null {
  if (!('validation' in error) || !Array.isArray(error.validation)) {
    return 'code' in error && error.code === 'FST_ERR_CTP_INVALID_JSON_BODY'
      ? [{ loc: ['body'], msg: 'the body is not JSON', type: 'json_invalid' }]
      : null
  }
  const where = 'validationContext' in error ? String(error.validationContext) : 'body'
  const place = where === 'querystring' ? 'query' : where === 'params' ? 'path' : where
  return (error.validation as Issue[]).flatMap((issue) => {
    const path = issue.instancePath
      .split('/')
      .slice(1)
      .map((step) => decodeURIComponent(step.replaceAll('~1', '/').replaceAll('~0', '~')))
    const unknown =
      issue.keyword === 'unrecognized_keys' ? (issue.params?.issue?.keys ?? unknownKeys(issue)) : []
    if (unknown.length > 0) {
      return unknown.map((key) => ({
        loc: [place, ...path, key],
        msg: `"${key}" is not known here`,
        type: 'extra_forbidden',
      }))
    }
    return [
      { loc: [place, ...path], msg: issue.message ?? 'does not fit', type: issue.keyword ?? 'value_error' },
    ]
  })
}

function unknownKeys(issue: Issue): string[] {
  return [...(issue.message ?? '').matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '')
}

function plain(error: Error): string {
  return 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
    ? 'the body is larger than this server takes'
    : error.message
}

function codeOf(status: number): string {
  return status === 404 ? 'not_found' : status === 413 ? 'body_too_large' : 'bad_request'
}
