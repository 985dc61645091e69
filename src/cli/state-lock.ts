import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { AppError } from '../errors.ts'

const held = new Set<string>()

/** One run at a time: two would write each other's elements without knowing. A run that was killed is no hindrance. */
export async function lock(statePath: string): Promise<() => Promise<void>> {
  const path = `${statePath}.lock`
  const mine = `${process.pid} ${hostname()}\n`
  for (let tries = 0; ; tries++) {
    try {
      await writeFile(path, mine, { flag: 'wx', mode: 0o600 })
      held.add(path)
      return async () => {
        held.delete(path)
        await rm(path, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannot(path, error)
    }
    const holder = await readFile(path, 'utf8').catch(() => '')
    if (tries > 2 || held.has(path) || !isLeftBehind(holder)) throw taken(path, holder)
    await rm(path, { force: true })
  }
}

/** Of another machine nothing can be told, so that its lock stands. */
function isLeftBehind(holder: string): boolean {
  const [pid = '', host] = holder.trim().split(' ')
  if (holder === '') return true
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    // In a container every run may have the same number.
    return Number(pid) === process.pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function taken(path: string, holder: string): AppError {
  const [pid, host] = holder.trim().split(' ')
  return new AppError(
    'invalid_request',
    `another run is at work with this state (process ${pid} on ${host})`,
    {
      fix: `Wait for it, or remove ${path} where there is no such process`,
    },
  )
}

function cannot(path: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException
  return new AppError('invalid_request', `the state cannot be locked with ${path} (${code})`, {
    cause: error,
    fix: 'Choose another place with --state, or state: in the job file',
  })
}
