import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Pins every package. */
const PACKAGES = [
  'unstructured-client==0.46.4',
  'aiofiles==25.1.0',
  'httpx==0.28.1',
  'pydantic==2.14.3',
  'pypdf==7.0.1',
  'pypdfium2==5.14.0',
  'requests-toolbelt==1.0.0',
]

/** A Python with the official client, created once in the cache; two at once do not conflict. */
export async function pythonWithClient(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const home = join(cache, 'python-client-0.46.4')
  const python = join(home, 'bin', 'python')
  if (await exists(join(home, 'complete'))) return python
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(join(cache, 'python-client-making-'))
  await run('python3', ['-m', 'venv', making])
  await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...PACKAGES])
  await mkdir(join(making, 'complete'))
  await rename(making, home).catch(async (error) => {
    if (!(await exists(join(home, 'complete')))) throw error
    await rm(making, { recursive: true, force: true })
  })
  return python
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
