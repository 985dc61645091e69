import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { AppError } from '../../errors.ts'

/** One run at a time; a lock is stale if its process is gone or it is not refreshed. */
export type Lock = {
  /** Throws if another run took over while this one was suspended. */
  assertHeld(): Promise<void>
  release(): Promise<void>
}

/** How often a lock is refreshed. */
const REFRESH_MS = 20_000
/** When the lock of another machine expires. */
const EXPIRED_MS = 10 * 60_000
/** After this time a write checks whether the lock is still ours. */
const RECHECK_MS = 60_000

const heldPaths = new Set<string>()

export async function lock(statePath: string): Promise<Lock> {
  const path = `${statePath}.lock`
  const content = `${process.pid} ${hostname()} ${await startTimeOf(process.pid)} ${await namespace()} ${randomUUID()}\n`
  await acquire(path, content)
  heldPaths.add(path)

  let refreshedAt = Date.now()
  const isMine = async () => (await readFile(path, 'utf8').catch(() => '')) === content
  const refresh = async () => {
    if (!(await isMine())) return
    const now = new Date()
    await utimes(path, now, now)
    refreshedAt = now.getTime()
  }
  const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS)
  timer.unref()
  return {
    async assertHeld() {
      if (Date.now() - refreshedAt < RECHECK_MS) return
      if (await isMine()) return refresh()
      throw new AppError('destination_read_only', `another run took over the state file ${statePath}`)
    },
    async release() {
      clearInterval(timer)
      heldPaths.delete(path)
      if (await isMine()) await rm(path, { force: true })
    },
  }
}

async function acquire(path: string, content: string): Promise<void> {
  const ownFile = `${path}.${randomUUID()}`
  try {
    await writeFile(ownFile, content, { flag: 'wx', mode: 0o600 })
    await claim(path, { ownFile, content })
  } catch (error) {
    throw error instanceof AppError ? error : lockFailed(path, error)
  } finally {
    await rm(ownFile, { force: true })
  }
}

type Claim = { ownFile: string; content: string }

/** Replacing a stale lock needs a second one, so that only one run does it. */
async function claim(path: string, { ownFile, content }: Claim): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (await createLock(ownFile, path, content)) return
    const holder = await contentOf(path)
    if (holder === null) continue
    if (tries > 2 || heldPaths.has(path) || !(await isStale(holder, { path, ownFile })))
      throw lockTaken(path, holder)
    const replacementLock = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
    await claim(replacementLock, { ownFile, content })
    try {
      // `claim` may have moved our file over a stale second lock.
      await rm(ownFile, { force: true })
      await writeFile(ownFile, content, { flag: 'wx', mode: 0o600 })
      // An earlier holder of the second lock may have replaced it already.
      if ((await contentOf(path)) !== holder) continue
      await rename(ownFile, path)
      return
    } finally {
      await rm(replacementLock, { force: true })
    }
  }
}

/** Null if the file is gone. */
async function contentOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** A link has its content from the start; not all file systems have links. */
async function createLock(ownFile: string, path: string, content: string): Promise<boolean> {
  try {
    await link(ownFile, path).catch((error: NodeJS.ErrnoException) => {
      if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(error.code ?? '')) throw error
      return writeFile(path, content, { flag: 'wx', mode: 0o600 })
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

async function isStale(
  holder: string,
  { path, ownFile }: { path: string; ownFile: string },
): Promise<boolean> {
  const [pid = '', host, startTime = '', pidNamespace = ''] = holder.trim().split(' ')
  // Containers may share a host name but not process ids.
  const isElsewhere = pidNamespace.startsWith('pid:') && pidNamespace !== (await namespace())
  if (holder.trim() === '' || host !== hostname() || isElsewhere) return isExpired(path, ownFile)
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  // Process ids repeat, in containers on every run; the start time tells them apart.
  const now = await startTimeOf(Number(pid))
  return Number(pid) === process.pid || (startTime !== '' && now !== '' && startTime !== now)
}

/** Uses the clock of the file system. */
async function isExpired(path: string, ownFile: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([stat(path).catch(() => null), stat(ownFile)])
  return theirs === null || ours.mtimeMs - theirs.mtimeMs > EXPIRED_MS
}

/** The namespace of process ids; other systems than Linux have one per machine. */
async function namespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => 'pid:machine')
}

/** The start time of a process on Linux; empty elsewhere. */
async function startTimeOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The program name is in brackets and may contain anything.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function lockTaken(path: string, holder: string): AppError {
  const [pid, host] = holder.trim().split(' ')
  return new AppError(
    'invalid_request',
    `another run uses this state file (process ${pid || '?'} on ${host ?? 'this machine'})`,
    { fix: `Wait for it, or remove ${path} if that process does not exist` },
  )
}

function lockFailed(path: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException
  return new AppError('invalid_request', `the state file cannot be locked with ${path} (${code})`, {
    cause: error,
    fix: 'Choose another path with --state, or state: in the job file',
  })
}
