import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ADVICE =
  'install Chromium (on Debian: apt-get install chromium), or set MILLRACE_CHROMIUM to the path of one'

/** The browser that MILLRACE_CHROMIUM names, else the first on the PATH. */
export async function findChromium(): Promise<string> {
  const named = process.env.MILLRACE_CHROMIUM
  if (named) {
    if (await isExecutable(named)) return named
    throw new Error(`MILLRACE_CHROMIUM names ${named}, which cannot be run; ${ADVICE}`)
  }
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const path = join(directory, name)
      if (await isExecutable(path)) return path
    }
  }
  throw new Error(`the journeys of the page need a browser, and there is none; ${ADVICE}`)
}

/** Installs Chromium from Debian's packages if it is missing and we may install. */
export async function provideChromium(log: (line: string) => void): Promise<string> {
  const missing = await findChromium().catch((error: Error) => error)
  if (typeof missing === 'string') return missing
  if (process.env.MILLRACE_CHROMIUM || process.getuid?.() !== 0) throw missing
  log('installing Chromium for the journeys of the page; this takes a minute or two, once …')
  try {
    await install()
    const path = await findChromium()
    // Ubuntu's package is a script that only names the real source.
    await run(path, ['--version'], { timeout: 60_000 })
    return path
  } catch (error) {
    throw new Error(`${missing.message}; installing it by apt-get failed (${lastLine(error)})`, {
      cause: error,
    })
  }
}

// Waits five minutes for another apt-get, and 20 s for a network.
const APT_OPTIONS = [
  '-o',
  'DPkg::Lock::Timeout=300',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
]
// Without fonts, missing glyphs are drawn as boxes.
const INSTALL = [...APT_OPTIONS, 'install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation']

async function install(): Promise<void> {
  // A fresh machine has no or old package lists.
  await aptGet(INSTALL).catch(async () => {
    const updated = await updateLists().catch((error: Error) => error)
    await aptGet(INSTALL).catch((error: unknown) => {
      throw updated ?? error
    })
  })
}

/** The lists have a separate lock, for which apt-get does not wait. */
async function updateLists(): Promise<void> {
  for (const end = Date.now() + 300_000; ; await sleep(1000)) {
    try {
      return await aptGet([...APT_OPTIONS, 'update'])
    } catch (error) {
      if (Date.now() > end || !/Could not get lock/.test(outputOf(error))) throw error
    }
  }
}

async function aptGet(args: string[]): Promise<void> {
  // The output is parsed, so it has to be in one language.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  await run('apt-get', args, { env, maxBuffer: 64 * 1024 * 1024, timeout: 15 * 60_000 })
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function lastLine(error: unknown): string {
  return outputOf(error).trim().split('\n').at(-1) ?? ''
}

/** The output of a command, or why it could not start. */
function outputOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return stderr || String(error)
}
