import type { ServerResponse } from 'node:http'
import type { WikiResponse } from './http.ts'
import { type FileBody, piecesOf, sizeOf } from './model/file-body.ts'

export interface SentResponse {
  status: number
  /** Body bytes sent; fewer if the client disconnected. */
  bytes: number
  headers: Record<string, string>
}

let requestNumber = 0

// Larger bodies are sent in pieces, so that unread bytes do not count.
const unsplitBytes = 1_000_000

/** Faults for tests: half of the response, with or without a closed connection. */
export type ResponseFault = { breaks?: 'text' | 'connection' | 'reset' | 'hang' }

/** Sends a response, possibly with a fault, and waits until it is sent. */
export async function send(
  outgoing: ServerResponse,
  response: WikiResponse,
  fault?: ResponseFault,
): Promise<SentResponse> {
  const { status, headers = {} } = response
  const source = bytesOf(response)
  const size = sizeOf(source)
  const half = Math.floor(size / 2)
  const out = fault?.breaks === 'text' || fault?.breaks === 'connection' ? half : size
  const id = (++requestNumber).toString(16).padStart(32, '0')
  outgoing.writeHead(status, {
    'content-type': typeOf(response),
    'atl-request-id': id,
    'atl-traceid': id,
    ...headers,
    'content-length': fault?.breaks === 'connection' ? size : out,
  })
  const head = { status, headers }
  if (Buffer.isBuffer(source) && size <= unsplitBytes && fault?.breaks !== 'connection') {
    outgoing.end(source.subarray(0, out))
    return { ...head, bytes: out }
  }
  const bytes = await sendPieces(outgoing, source, out)
  if (fault?.breaks === 'connection') outgoing.destroy()
  else if (!outgoing.destroyed) outgoing.end()
  return { ...head, bytes }
}

/** At the client's pace. */
async function sendPieces(outgoing: ServerResponse, source: FileBody, length: number): Promise<number> {
  let sent = 0
  let wake = (): void => undefined
  const onEvent = () => wake()
  outgoing.on('close', onEvent)
  for (const piece of piecesOf(source, length)) {
    if (outgoing.destroyed) break
    await new Promise<void>((resolve) => {
      wake = resolve
      outgoing.write(piece, (error) => {
        if (error === undefined || error === null) sent += piece.length
        resolve()
      })
    })
  }
  outgoing.off('close', onEvent)
  return sent
}

function bytesOf({ body = '', file }: WikiResponse): FileBody {
  if (file !== undefined) return file
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function typeOf({ body = '', file }: WikiResponse): string {
  if (file !== undefined) return 'application/octet-stream'
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return 'application/json'
  const isHtml = typeof body === 'string' && body.startsWith('<')
  return isHtml ? 'text/html;charset=UTF-8' : 'text/plain;charset=UTF-8'
}
