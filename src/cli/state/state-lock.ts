import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { AppError } from '../../errors.ts'

/**
 * One run at a time: two would write each other's elements without knowing. A run that was killed is no hindrance: on
 * this machine its process is gone, and on another one, such as a container that will not come back, its lock is not
 * kept alive any more.
 */
export type Lock = {
  /** Throws where another run took over while this one was asleep. */
  assertHeld(): Promise<void>
  release(): Promise<void>
}

/** How often a lock is kept alive, and for how long one of another machine counts that is not. */
const BEAT_MS = 20_000
const DEAD_MS = 10 * 60_000
/** Without a beat for this long, whoever writes looks first whether the lock is still its own. */
const DOUBTFUL_MS = 60_000

const held = new Set<string>()

export async function lock(statePath: string): Promise<Lock> {
  const path = `${statePath}.lock`
  const mine = `${process.pid} ${hostname()} ${await startOf(process.pid)} ${await namespace()} ${randomUUID()}\n`
  await acquire(path, mine)
  held.add(path)

  let beaten = Date.now()
  const isMine = async () => (await readFile(path, 'utf8').catch(() => '')) === mine
  const beat = async () => {
    if (!(await isMine())) return
    const now = new Date()
    await utimes(path, now, now)
    beaten = now.getTime()
  }
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS)
  timer.unref()
  return {
    async assertHeld() {
      if (Date.now() - beaten < DOUBTFUL_MS) return
      if (await isMine()) return beat()
      throw new AppError('destination_read_only', `another run has taken over the state ${statePath}`)
    },
    async release() {
      clearInterval(timer)
      held.delete(path)
      if (await isMine()) await rm(path, { force: true })
    },
  }
}

async function acquire(path: string, mine: string): Promise<void> {
  const own = `${path}.${randomUUID()}`
  try {
    await writeFile(own, mine, { flag: 'wx', mode: 0o600 })
    await claim(path, { own, mine })
  } catch (error) {
    throw error instanceof AppError ? error : cannot(path, error)
  } finally {
    await rm(own, { force: true })
  }
}

type Claim = { own: string; mine: string }

/**
 * Several may find the same lock left behind. Only who holds the right to replace it does so, and that right is a
 * lock itself, named after what it replaces; there is no moment without a lock in which a third could put theirs.
 */
async function claim(path: string, { own, mine }: Claim): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (await put(own, path, mine)) return
    const holder = await contentOf(path)
    if (holder === null) continue
    if (tries > 2 || held.has(path) || !(await isLeftBehind(holder, { path, own }))) throw taken(path, holder)
    const right = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
    await claim(right, { own, mine })
    try {
      // The right itself may have been a lock that was left behind, which our file has replaced then.
      await rm(own, { force: true })
      await writeFile(own, mine, { flag: 'wx', mode: 0o600 })
      // Whoever had the right before may have used it.
      if ((await contentOf(path)) !== holder) continue
      await rename(own, path)
      return
    } finally {
      await rm(right, { force: true })
    }
  }
}

/** Null where it is gone by now. */
async function contentOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** With its content from the first moment, so that nobody finds an empty one; not all file systems have links. */
async function put(own: string, path: string, mine: string): Promise<boolean> {
  try {
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(error.code ?? '')) throw error
      return writeFile(path, mine, { flag: 'wx', mode: 0o600 })
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

async function isLeftBehind(holder: string, { path, own }: { path: string; own: string }): Promise<boolean> {
  const [pid = '', host, started = '', numbers = ''] = holder.trim().split(' ')
  // Containers may share a name and not their numbers: then nothing here can tell whether that process lives.
  const isElsewhere = numbers.startsWith('pid:') && numbers !== (await namespace())
  if (holder.trim() === '' || host !== hostname() || isElsewhere) return isDead(path, own)
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  // In a container every run may have the same number, and after a while another process has it.
  const now = await startOf(Number(pid))
  return Number(pid) === process.pid || (started !== '' && now !== '' && started !== now)
}

/** By the clock of whoever keeps the files, which wrote our own a moment ago. */
async function isDead(path: string, own: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([stat(path).catch(() => null), stat(own)])
  return theirs === null || ours.mtimeMs - theirs.mtimeMs > DEAD_MS
}

/** Within which the numbers of processes mean something; elsewhere than on Linux that is the machine. */
async function namespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => 'pid:machine')
}

/** When a process began, as Linux counts it; elsewhere its number has to do. */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program stands in brackets and may hold anything.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function taken(path: string, holder: string): AppError {
  const [pid, host] = holder.trim().split(' ')
  return new AppError(
    'invalid_request',
    `another run is at work with this state (process ${pid || '?'} on ${host ?? 'this machine'})`,
    { fix: `Wait for it, or remove ${path} where there is no such process` },
  )
}

function cannot(path: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException
  return new AppError('invalid_request', `the state cannot be locked with ${path} (${code})`, {
    cause: error,
    fix: 'Choose another place with --state, or state: in the job file',
  })
}
