import type { Registry } from '../connectors/registry.ts'
import type { Arguments } from './arguments.ts'
import type { Invocation, Terminal } from './terminal.ts'

export type CommandInput = {
  args: Arguments
  env: Invocation['env']
  terminal: Terminal
  registry: Registry
}

/** Runs a command after its flags are read; returns the exit code. */
export type CommandHandler = (input: CommandInput, signal: AbortSignal) => Promise<number>
