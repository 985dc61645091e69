#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

// Compiling takes a third of the time of a help text.
const cache = cacheFolder()
if (cache) enableCompileCache?.(cache)
const { commandLine } = await import('./command-line.ts')
const { removeVendorVariables } = await import('../pipeline/models/vendor-variables.ts')

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The first signal stops the run cleanly; a second one kills the process.
  process.once(name, () => stopping.abort())
}
// A closed pipe, as by `head`, stops the run without an error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stopping.abort()
  })

// Jobs name their variables; vendor clients must not read variables by themselves.
const env = { ...process.env }
removeVendorVariables(process.env)
const { argv, stdout, stderr } = process
const code = await commandLine({ args: argv.slice(2), env, out: stdout, err: stderr }, stopping.signal)
// Output may still be in a pipe.
process.exitCode = code
setTimeout(() => process.exit(code), 2000).unref()

/** Not in /tmp or the working directory, where other users could plant code. */
function cacheFolder(): string | null {
  try {
    const home = homedir()
    return isAbsolute(home) ? join(home, '.cache/millrace-ingest') : null
  } catch {
    return null
  }
}
