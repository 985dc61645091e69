import type { Registry } from '../connectors/registry.ts'
import type { Arguments } from './arguments.ts'
import type { Started, Terminal } from './terminal.ts'

export type CommandInput = {
  args: Arguments
  env: Started['env']
  terminal: Terminal
  registry: Registry
}

/** Runs a command after its flags are read; returns the exit code. */
export type CommandHandler = (input: CommandInput, signal: AbortSignal) => Promise<number>
