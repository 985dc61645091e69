#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// A third of the time to print a help text is compiling.
enableCompileCache?.()
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
