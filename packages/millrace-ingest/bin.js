#!/usr/bin/env node
// Plain JavaScript that any Node runs: it starts a newer Node if the machine has an older one.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = [22, 19]
const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  await import('../src/cli/main.js')
} else {
  const newer = findNode()
  if (newer) runWith(newer)
  else {
    console.error(
      `millrace-ingest needs Node ${NEEDED.join('.')} or later, and this is ${process.versions.node}.`,
    )
    process.exitCode = 2
  }
}

function findNode() {
  try {
    const name = `node-${process.platform}-${process.arch}`
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
  } catch {
    return null
  }
}

/** Forwards signals to the child and exits with its code. */
function runWith(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to both; forwarding it too would end the child at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`millrace-ingest could not start ${node}: ${error.message}`)
    process.exitCode = 3
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 130)
  })
}
