#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// A third of the time that a help text takes is spent on compiling what has not changed since the last time.
enableCompileCache?.()
const { commandLine } = await import('./command-line.ts')
const { removeVendorVariables } = await import('../pipeline/models/vendor-variables.ts')

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Once asks for an orderly stop; a second time the system's own way ends it.
  process.once(name, () => stopping.abort())
}
// A reader that has seen enough, such as `head`, is no error; but nobody is told any more how a run goes on.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stopping.abort()
  })

// A job may name any variable; the clients of vendors are to find none of theirs.
const env = { ...process.env }
removeVendorVariables(process.env)
const { argv, stdout, stderr } = process
const code = await commandLine({ args: argv.slice(2), env, out: stdout, err: stderr }, stopping.signal)
// What is written to a pipe may still be on its way, so that the process ends by itself where it can.
process.exitCode = code
setTimeout(() => process.exit(code), 2000).unref()
