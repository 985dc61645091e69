import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const PEERS = ['unstructured-ingest', 'langchain', 'llama-index'] as const
export type PeerName = (typeof PEERS)[number]

/** The Python of a peer, with the exact versions of its list; installed once into the cache. */
export async function pythonOf(peer: PeerName | 'readers'): Promise<string> {
  const list = join(import.meta.dirname, `${peer}.txt`)
  const text = await readFile(list, 'utf8')
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const home = join(cache, `peer-${peer}-${hash}`)
  const python = join(home, 'bin', 'python')
  if (await exists(join(home, 'complete'))) return python
  console.log(`installing ${peer} by pip`)
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(join(cache, `peer-${peer}-making-`))
  await run('python3', ['-m', 'venv', making])
  // The list is complete. One package wants a newer certifi than registries have.
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', list]
  await run(join(making, 'bin', 'python'), install)
  await mkdir(join(making, 'complete'))
  await rename(making, home).catch(async (error) => {
    if (!(await exists(join(home, 'complete')))) throw error
    await rm(making, { recursive: true, force: true })
  })
  return python
}

/** The pinned version of a package in a peer's list. */
export async function versionOf(peer: PeerName, name: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, `${peer}.txt`), 'utf8')
  const line = text.split('\n').find((each) => each.startsWith(`${name}==`))
  if (line === undefined) throw new Error(`${peer}.txt has no ${name}`)
  return line.slice(name.length + 2)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
