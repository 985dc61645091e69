import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'

type UnreadableCode = 'headers_too_large' | 'request_timeout' | 'bad_request'

const CODES: Record<string, UnreadableCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
const ANSWERS: Record<UnreadableCode, { status: string; detail: string }> = {
  headers_too_large: {
    status: '431 Request Header Fields Too Large',
    detail: 'the address and headers of the request are larger than this server accepts',
  },
  request_timeout: { status: '408 Request Timeout', detail: 'the request did not arrive in time' },
  bad_request: { status: '400 Bad Request', detail: 'the request is not valid HTTP' },
}

/** Answers requests that the HTTP parser rejects in the format of other errors. */
export function sendUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy(error)
    return
  }
  endUnreadable(socket, CODES[error.code] ?? 'bad_request')
}

/** A client that has its answer closes the connection; one that does not is cut off. */
const CLOSE_MS = 1000

export function endUnreadable(socket: Socket, code: UnreadableCode): void {
  const { status, detail } = ANSWERS[code]
  const body = JSON.stringify({ detail, code })
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), CLOSE_MS).unref()
}
