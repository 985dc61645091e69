import { commandLine } from '../../../src/cli/command-line.ts'
import { localWithToys } from './registry.ts'

/** `millrace-ingest` with the toys. */
const { argv, env, stdout, stderr } = process
const invocation = { args: argv.slice(2), env: { ...env }, out: stdout, err: stderr, registry: localWithToys }
process.exitCode = await commandLine(invocation, new AbortController().signal)
