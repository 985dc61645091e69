import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../errors.ts'
import { isDatabaseUnreachable } from '../../store/database-problem.ts'

/** 422 names fields; every other error is one line with its code. */
export function sendError(
  error: FastifyError | AppError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof AppError) return sendAppError(error, reply)
  if (isDataError(error)) {
    const loc = [request.method === 'GET' ? 'query' : 'body']
    return sendAppError(invalid(loc, 'contains a value that cannot be stored or searched for'), reply)
  }
  // An id too long for the router counts as unknown.
  if ('code' in error && UNREADABLE_PATH.has(error.code)) {
    return reply.code(404).send({ detail: 'Not Found', code: 'not_found' })
  }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  if (status === 429) return reply.code(429).send({ detail: error.message, code: 'rate_limited' })
  if (status >= 400 && status < 500)
    return reply.code(status).send({ detail: messageOf(error), code: codeOf(status) })
  if (isDatabaseUnreachable(error)) {
    request.log.error({ err: error, request_id: request.id }, 'the database could not be reached')
    const detail = 'The database of this service cannot be reached at the moment; try again in a while'
    const body = { detail, code: 'database_unreachable', request_id: request.id, retryable: true }
    return reply.code(503).header('retry-after', String(RETRY_AFTER_S)).send(body)
  }
  request.log.error({ err: error, request_id: request.id }, 'a request failed')
  return reply.code(500).send({
    detail: 'Internal server error',
    code: 'internal',
    request_id: request.id,
    retryable: false,
  })
}

/** A restarted database is back after a few seconds. */
const RETRY_AFTER_S = 5

const UNREADABLE_PATH = new Set(['FST_ERR_MAX_PARAM_LENGTH', 'FST_ERR_BAD_URL'])

function sendAppError(error: AppError, reply: FastifyReply): FastifyReply {
  if (error.code === 'invalid_request') {
    return reply
      .code(422)
      .send({ detail: error.fields ?? [{ loc: ['body'], msg: error.message, type: 'value_error' }] })
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  const detail = error.fix ? `${error.message}. ${error.fix}` : error.message
  // Clients of the platform API retry a 5xx for half an hour unless `retryable` is false.
  const retryable = error.status >= 500 ? { retryable: false } : {}
  return reply.code(error.status).send({ detail, code: error.code, ...retryable })
}

// 22021 is a NUL, 22P05 an invalid escape, 22P02 a malformed id. Input checks miss them inside a cursor.
const DATA_ERRORS = new Set(['22021', '22P05', '22P02'])

function isDataError(error: Error): boolean {
  return 'code' in error && DATA_ERRORS.has(String(error.code))
}

function messageOf(error: Error): string {
  const code = 'code' in error ? error.code : ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'the body is larger than this server accepts'
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return 'this type of body is not accepted; send JSON as content-type: application/json'
  }
  return error.message
}

const codes: Record<number, string> = {
  404: 'not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
}

function codeOf(status: number): string {
  return codes[status] ?? 'bad_request'
}
