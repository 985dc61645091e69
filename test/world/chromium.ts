import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { installPackages, lastLine } from './debian-packages.ts'

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
    // Without fonts, missing glyphs are drawn as boxes.
    await installPackages(['chromium', 'fonts-liberation'])
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

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
