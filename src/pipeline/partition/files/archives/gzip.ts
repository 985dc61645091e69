import { createGunzip } from 'node:zlib'
import { brokenFile } from '../refusals.ts'
import { ByteStream } from './byte-stream.ts'
import { MAX_PACKED_FILE_BYTES, type UnpackBudget } from './limits.ts'
import { type ArchiveFile, type PackedFile, refuseLargeFile } from './packed-file.ts'
import { isTarHeader, streamedFiles } from './tar.ts'

/** A compressed tar, or one compressed file, which is named like the archive without its ending. */
export async function* gzipFiles(file: ArchiveFile, budget: UnpackBudget): AsyncGenerator<PackedFile> {
  const { filename } = file
  const stream = new ByteStream(gunzip(file))
  try {
    if (isTarHeader(await stream.peek(512))) {
      yield* streamedFiles(stream, { filename, budget })
      return
    }
    const content = await stream.take(MAX_PACKED_FILE_BYTES + 1)
    budget.takeBytes(content.length)
    const path = filename.replace(/\.gz$/i, '') || filename
    if (content.length === 0) return
    yield {
      path,
      read() {
        refuseLargeFile({ path, size: content.length })
        return content
      },
    }
  } finally {
    await stream.close()
  }
}

async function* gunzip({ bytes, filename }: ArchiveFile): AsyncGenerator<Uint8Array> {
  const unpacking = createGunzip({ chunkSize: 256 * 1024 })
  unpacking.end(bytes)
  try {
    for await (const chunk of unpacking) yield chunk
  } catch (cause) {
    throw brokenFile(filename, 'it is damaged or cut off', cause)
  } finally {
    unpacking.destroy()
  }
}
