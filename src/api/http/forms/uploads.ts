import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, mkdtemp, open, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { type ByteLimit, createByteLimit } from '../byte-limit.ts'
import { folderPrefix, keepFolder, removeLeftovers } from './leftovers.ts'

/** Uploads of one workspace that may arrive at once; vendors' clients send five parts of a PDF at once. */
const MAX_ARRIVING = 8
/** Disk space for the uploads of this process. */
const MAX_SPOOLED_BYTES = 2_000_000_000
/** Disk space for one workspace, so that others can still upload. */
const MAX_WORKSPACE_BYTES = 500_000_000
/** Files that requests process at once, those of one workspace up to half of it; others wait on disk. */
const MAX_MEMORY_BYTES = 200 * 1024 * 1024
const RETRY_AFTER_S = 10

/** A file on disk. Its name is already deleted, so that the system frees it even after a crash. */
export type SpooledFile = { size: number; read(): Promise<Buffer> }

/** One request with files: occupies a place of its workspace until it has arrived, and disk until closed. */
export type ArrivingUpload = {
  /** Writes a stream to disk. Bytes count while they arrive. */
  receive(stream: AsyncIterable<Uint8Array>, check: (bytes: number) => void): Promise<SpooledFile>
  /** All files have arrived: the next upload may begin. */
  arrived(): void
  close(): Promise<void>
}

type UploadRefusal = 'places' | 'disk' | 'quota'

/** Uploaded files in a private folder of this process. */
export type Uploads = {
  begin(workspaceId: string): ArrivingUpload
  /** For files that a request reads into memory. */
  memory: ByteLimit
  arriving(): number
  spooledBytes(): number
  refusals(): ReadonlyMap<UploadRefusal, number>
  countRefusal(reason: UploadRefusal): void
  close(): Promise<void>
}

export async function openUploads(
  parent = tmpdir(),
  { workspaceBytes = MAX_WORKSPACE_BYTES, memoryBytes = MAX_MEMORY_BYTES } = {},
): Promise<Uploads> {
  await removeLeftovers(parent)
  // `mkdtemp` gives the folder mode 0700.
  const folder = await mkdtemp(join(parent, folderPrefix()))
  keepFolder(folder)
  const arriving = createTotals()
  const spooled = createTotals()
  const refusals = new Map((['places', 'disk', 'quota'] as UploadRefusal[]).map((reason) => [reason, 0]))
  function countRefusal(reason: UploadRefusal): void {
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  }

  function refuse(reason: UploadRefusal, message: string): never {
    countRefusal(reason)
    throw new AppError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_S })
  }

  function begin(workspaceId: string): ArrivingUpload {
    if (arriving.of(workspaceId) >= MAX_ARRIVING)
      refuse('places', `${MAX_ARRIVING} uploads of this workspace are arriving already; try again later`)
    arriving.add(workspaceId, 1)
    const handles: FileHandle[] = []
    let bytes = 0
    let hasArrived = false

    function arrived(): void {
      if (hasArrived) return
      hasArrived = true
      arriving.add(workspaceId, -1)
    }

    return {
      async receive(stream, check) {
        const handle = await openUnnamed(folder)
        handles.push(handle)
        let size = 0
        for await (const chunk of stream) {
          bytes += chunk.length
          spooled.add(workspaceId, chunk.length)
          size += chunk.length
          check(bytes)
          if (spooled.of(workspaceId) > workspaceBytes)
            refuse(
              'disk',
              'the files of this workspace that are being processed take too much disk space; try again later',
            )
          if (spooled.sum() > MAX_SPOOLED_BYTES)
            refuse('disk', 'the server is receiving too many files at once; try again later')
          await handle.writeFile(chunk).catch((error) => {
            if (!isDiskFull(error)) throw error
            refuse('disk', 'the server has no disk space for uploads; try again later')
          })
        }
        return { size, read: () => readAll(handle, size) }
      },
      arrived,
      async close() {
        arrived()
        spooled.add(workspaceId, -bytes)
        bytes = 0
        await Promise.all(handles.splice(0).map((handle) => handle.close()))
      },
    }
  }

  return {
    begin,
    memory: createByteLimit(memoryBytes),
    arriving: arriving.sum,
    spooledBytes: spooled.sum,
    refusals: () => refusals,
    countRefusal,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** By workspace. */
function createTotals() {
  const totals = new Map<string, number>()
  return {
    of: (workspaceId: string) => totals.get(workspaceId) ?? 0,
    add(workspaceId: string, amount: number): void {
      const after = (totals.get(workspaceId) ?? 0) + amount
      if (after === 0) totals.delete(workspaceId)
      else totals.set(workspaceId, after)
    },
    sum: () => totals.values().reduce((sum, each) => sum + each, 0),
  }
}

async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID())
  const create = () => open(path, 'wx+', 0o600)
  const handle = await create().catch(async (error) => {
    if (error.code !== 'ENOENT') throw error
    // Cleaners of temporary files remove folders that look unused.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return create()
  })
  await unlink(path)
  return handle
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code))
}

async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.allocUnsafe(size)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(content, at, size - at, at)
    if (bytesRead === 0) throw new Error('an uploaded file is shorter than it was')
    at += bytesRead
  }
  return content
}
