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

/**
 * The whole body, decompressed. The limit counts what comes out of the decompressor, and nothing is read past
 * it: a small answer that unpacks into gigabytes ends as early as a long one, and its connection is cut.
 */
export async function readBody(
  answer: Dispatcher.ResponseData,
  { maxBytes, host }: { maxBytes: number; host: string },
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  const collect = async (stream: AsyncIterable<Buffer>) => {
    for await (const chunk of stream) {
      length += chunk.length
      if (length > maxBytes) {
        throw new AppError(
          'source_answer_too_long',
          `reading from ${host}: the answer is longer than ${maxBytes} bytes`,
        )
      }
      chunks.push(chunk)
    }
  }
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') await collect(answer.body)
  else await unpack(answer, { encoding, host, collect })
  return Buffer.concat(chunks, length)
}

const decompressors: Record<string, () => Gunzip | BrotliDecompress> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

type Unpacking = { encoding: string; host: string; collect(stream: AsyncIterable<Buffer>): Promise<void> }

async function unpack(
  answer: Dispatcher.ResponseData,
  { encoding, host, collect }: Unpacking,
): Promise<void> {
  const decompressor = decompressors[encoding]?.()
  if (!decompressor) {
    answer.body.on('error', () => {}).destroy()
    throw new AppError('source_failed', `reading from ${host}: the answer is compressed in an unknown way`)
  }
  await pipeline(answer.body, decompressor, collect).catch((cause) => {
    // The answer to HEAD names the encoding of a body that is not there.
    if (decompressor.bytesWritten === 0 && cause?.code === 'Z_BUF_ERROR') return
    // Errors of zlib start with Z_, those of brotli with ERR__ERROR_.
    if (/^(Z_|ERR__ERROR_)/.test(cause?.code ?? '')) {
      throw new AppError('source_failed', `reading from ${host}: the compressed answer is broken`, { cause })
    }
    throw cause
  })
}
