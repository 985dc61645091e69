// Plain JavaScript that an old Node runs too: it starts a newer Node if this one is too old.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = [22, 19]

/** Runs a script of this package, with options of Node and variables that are not set yet. */
export async function launch(command, { script, env = {}, options = [], args }) {
  const node = isNewEnough() ? process.execPath : installedNode()
  if (!node) {
    console.error(`${command} needs Node ${NEEDED.join('.')} or later, and this is ${process.versions.node}.`)
    process.exitCode = 2
    return
  }
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url))
  const isSame = node === process.execPath
  if (isSame && options.length === 0) {
    process.argv.splice(1, Infinity, path, ...args)
    await import(`../${script}`)
    return
  }
  // Node ignores a folder that it cannot write.
  process.env.NODE_COMPILE_CACHE ||= compileCache()
  for (const [name, value] of Object.entries(env)) process.env[name] ??= value
  const all = [...(isSame ? process.execArgv : []), ...options, path, ...args]
  // The service takes the place of this process, so that signals reach it and no memory is spent on a parent.
  if (process.execve && process.platform !== 'win32') {
    // Node 22 passes no variables unless they are given.
    process.execve(node, [node, ...all], process.env)
  }
  startChild(command, node, all)
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

/** Where Node keeps compiled modules between starts. */
function compileCache() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'compiled')
}

/** The Node of an optional dependency. */
function installedNode() {
  try {
    const name = `node-${process.platform}-${process.arch}`
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
  } catch {
    return null
  }
}

/** Forwards signals to the child and exits with its code. */
function startChild(command, node, args) {
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
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
