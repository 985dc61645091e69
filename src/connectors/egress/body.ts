import { pipeline } from 'node:stream/promises'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
} from 'node:zlib'
import type { Dispatcher } from 'undici'
import { AppError } from '../../errors.ts'
import type { EgressRequest } from './egress.ts'
import { SLOW_RESPONSE } from './failure.ts'

/** Enough bytes to detect a file type. */
const HEAD_BYTES = 4_100
/** Error and redirect bodies are cut at this size. */
const ERROR_BYTES = 64 * 1024

export type BodyOptions = Pick<EgressRequest, 'method' | 'shouldContinue' | 'minSpeed'> & {
  maxBytes: number
  host: string
}
export type LimitedBody = { bytes: Uint8Array; complete: boolean }

/** Counts decompressed bytes, so that a small response cannot unpack into gigabytes. */
export async function readBody(
  response: Dispatcher.ResponseData,
  options: BodyOptions,
): Promise<LimitedBody> {
  const { maxBytes, host, method } = options
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase()
  const isPlain = encoding === 'identity'
  const isSuccess = response.statusCode >= 200 && response.statusCode < 300
  const shouldContinue = isSuccess ? options.shouldContinue : undefined
  const stopped = new Error('the rest is not needed')
  const chunks: Buffer[] = []
  const startedAt = performance.now()
  let length = 0
  let isHeadChecked = false

  const checkHead = async () => {
    isHeadChecked = true
    if (shouldContinue && !(await shouldContinue(Buffer.concat(chunks).subarray(0, HEAD_BYTES))))
      throw stopped
  }
  const collect = async (stream: AsyncIterable<Buffer>) => {
    for await (const chunk of stream) {
      length += chunk.length
      if (isSuccess && length > maxBytes) throw tooLong(options)
      chunks.push(chunk)
      if (isTooSlow(length, performance.now() - startedAt, options)) throw new SlowResponse()
      if (!isSuccess && length >= ERROR_BYTES) throw stopped
      if (!isHeadChecked && length >= HEAD_BYTES) await checkHead()
    }
    if (!isHeadChecked) await checkHead()
  }

  if (isSuccess && isPlain && method !== 'HEAD' && Number(response.headers['content-length']) > maxBytes) {
    closeConnection(response)
    throw tooLong(options)
  }
  try {
    if (isPlain) await collect(response.body)
    else await unpack(response, { encoding, host, collect })
  } catch (error) {
    // The connection is closed, because a new one costs less than reading the rest.
    if (error !== stopped) throw error
    return { bytes: Buffer.concat(chunks, length), complete: false }
  }
  return { bytes: Buffer.concat(chunks, length), complete: true }
}

/** Each part arrives in time, but the whole would take hours. */
class SlowResponse extends Error {
  readonly code = SLOW_RESPONSE
}

function isTooSlow(bytes: number, ms: number, { minSpeed }: BodyOptions): boolean {
  return minSpeed !== undefined && ms > minSpeed.afterMs && bytes < (ms / 1000) * minSpeed.bytesPerSecond
}

function tooLong({ host, maxBytes }: BodyOptions): AppError {
  const message = `reading from ${host}: the response is longer than ${maxBytes} bytes`
  return new AppError('source_answer_too_long', message)
}

function closeConnection(response: Dispatcher.ResponseData): void {
  response.body.on('error', () => {}).destroy()
}

const decompressors: Record<string, () => Gunzip | BrotliDecompress> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

type UnpackOptions = { encoding: string; host: string; collect(stream: AsyncIterable<Buffer>): Promise<void> }

async function unpack(
  response: Dispatcher.ResponseData,
  { encoding, host, collect }: UnpackOptions,
): Promise<void> {
  const decompressor = decompressors[encoding]?.()
  if (!decompressor) {
    closeConnection(response)
    throw new AppError(
      'source_failed',
      `reading from ${host}: the response has an unsupported content-encoding`,
    )
  }
  await pipeline(response.body, decompressor, collect).catch((cause) => {
    // A response to HEAD has a content-encoding, but no body.
    if (decompressor.bytesWritten === 0 && cause?.code === 'Z_BUF_ERROR') return
    // Errors of zlib start with Z_, those of brotli with ERR__ERROR_.
    if (/^(Z_|ERR__ERROR_)/.test(cause?.code ?? '')) {
      throw new AppError('source_failed', `reading from ${host}: the compressed response is corrupt`, {
        cause,
      })
    }
    throw cause
  })
}
