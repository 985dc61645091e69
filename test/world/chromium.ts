import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ADVICE =
  'install Chromium (on Debian: apt-get install chromium), or set MILLRACE_CHROMIUM to the path of one'

/** The browser of the journeys: the one an operator names, else the first on the PATH. */
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

/** Makes sure that there is one: where Debian's packages can be had and we may install, it is fetched by name. */
export async function provideChromium(log: (line: string) => void): Promise<string> {
  const missing = await findChromium().catch((error: Error) => error)
  if (typeof missing === 'string') return missing
  if (process.env.MILLRACE_CHROMIUM || process.getuid?.() !== 0) throw missing
  log('installing Chromium for the journeys of the page; this takes a minute or two, once …')
  try {
    await install()
    const path = await findChromium()
    // Ubuntu's package is a script that only says where to get the real one.
    await run(path, ['--version'], { timeout: 60_000 })
    return path
  } catch (error) {
    throw new Error(`${missing.message}; installing it by apt-get failed (${lastLine(error)})`, {
      cause: error,
    })
  }
}

// Somebody else's apt-get, an upgrade that the machine does by itself for example, is waited for up to five minutes;
// without a network it gives up after one try of 20 seconds.
const PATIENCE = [
  '-o',
  'DPkg::Lock::Timeout=300',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
]
// Fonts, since a machine without any draws boxes for what is not in the page's own font.
const INSTALL = [...PATIENCE, 'install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation']

async function install(): Promise<void> {
  // The lists of a fresh machine are absent or old; only then are they worth fetching. Where some of them cannot be
  // had, the one that is needed may have been.
  await aptGet(INSTALL).catch(async () => {
    const updated = await updateLists().catch((error: Error) => error)
    await aptGet(INSTALL).catch((error: unknown) => {
      throw updated ?? error
    })
  })
}

/** The lists have a lock of their own, for which apt-get does not wait. */
async function updateLists(): Promise<void> {
  for (const end = Date.now() + 300_000; ; await sleep(1000)) {
    try {
      return await aptGet([...PATIENCE, 'update'])
    } catch (error) {
      if (Date.now() > end || !/Could not get lock/.test(words(error))) throw error
    }
  }
}

async function aptGet(args: string[]): Promise<void> {
  // Its words are looked at, so they are asked for in one language.
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
  return words(error).trim().split('\n').at(-1) ?? ''
}

/** What a command said, or why it could not be started. */
function words(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return said || String(error)
}
