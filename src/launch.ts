import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LESS_ARENAS, LESS_MEMORY } from './node-options.ts'

const NEEDED = [22, 19] as const

/** `file` is a path below this folder, without its extension. */
export type Launch = { file: string; options?: string[]; args: string[] }

/** Runs the service in place of this process, with less memory. */
export async function launchService(command: string, { options = [], ...rest }: Launch): Promise<void> {
  for (const [name, value] of Object.entries(LESS_ARENAS)) process.env[name] ??= value
  await launch(command, { ...rest, options: [...LESS_MEMORY, ...options] })
}

/** Runs a file, with a newer Node if this one is too old: the package runs this file on Node 20 too. */
export async function launch(command: string, { file, options = [], args }: Launch): Promise<void> {
  const node = isNewEnough() ? process.execPath : installedNode()
  if (!node) {
    console.error(`${command} needs Node ${NEEDED.join('.')} or later, and this is ${process.versions.node}.`)
    process.exitCode = 2
    return
  }
  const url = new URL(`${file}${extname(import.meta.url)}`, import.meta.url)
  const path = fileURLToPath(url)
  const isSame = node === process.execPath
  if (isSame && options.length === 0) {
    process.argv.splice(1, Infinity, path, ...args)
    await import(url.href)
    return
  }
  // Node ignores a folder that it cannot write.
  process.env.NODE_COMPILE_CACHE ||= compileCacheFolder()
  const all = [...(isSame ? process.execArgv : []), ...options, path, ...args]
  // The service takes the place of this process, so that signals reach it and no memory is spent on a parent.
  if (process.execve && process.platform !== 'win32') {
    // Node 22 passes no variables unless they are given.
    process.execve(node, [node, ...all], process.env)
  }
  startChild(command, node, all)
}

/** Where Node keeps compiled modules between starts. */
export function compileCacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'compiled')
}

function isNewEnough(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

/** The Node of an optional dependency. */
function installedNode(): string | null {
  try {
    const name = `node-${process.platform}-${process.arch}`
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
  } catch {
    return null
  }
}

/** Forwards signals to the child and exits with its code. */
function startChild(command: string, node: string, args: string[]): void {
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to both; forwarding it too would end the child at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`${command} could not start ${node}: ${error.message}`)
    process.exitCode = 3
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 130)
  })
}
