import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
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
  await install().catch((error: unknown) => {
    throw new Error(`${missing.message}; apt-get could not install it (${lastLine(error)})`, { cause: error })
  })
  return findChromium()
}

async function install(): Promise<void> {
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 64 * 1024 * 1024 }
  const args = ['install', '-y', '--no-install-recommends', 'chromium']
  // The lists of a fresh machine are absent or old; only then are they worth fetching.
  await run('apt-get', args, options).catch(async () => {
    await run('apt-get', ['update'], options)
    await run('apt-get', args, options)
  })
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
