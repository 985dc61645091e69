import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'

const ANSWERS: Record<string, { status: string; detail: string; code: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'the address and headers of the request are larger than this server accepts',
    code: 'headers_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: 'the request did not arrive in time',
    code: 'request_timeout',
  },
}
const MALFORMED = { status: '400 Bad Request', detail: 'the request is not valid HTTP', code: 'bad_request' }

/** Answers requests that the HTTP parser rejects in the format of other errors. */
export function sendUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy(error)
    return
  }
  const { status, detail, code } = ANSWERS[error.code] ?? MALFORMED
  const body = JSON.stringify({ detail, code })
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
