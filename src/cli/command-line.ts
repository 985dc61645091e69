import { readFileSync } from 'node:fs'
import type { Registry } from '../connectors/registry.ts'
import { nearest } from '../nearest.ts'
import type { CommandHandler } from './command-handler.ts'
import { type Command, commands, findCommand } from './commands.ts'
import { EXIT, exitCodeOf, messageOf, UsageError } from './exit.ts'
import { type Invocation, openTerminal, type Terminal } from './terminal.ts'

/** Loads a command when it is used. */
const handlers: Record<string, () => Promise<CommandHandler>> = {
  run: async () => (await import('./commands/run.ts')).runCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  preview: async () => (await import('./commands/preview.ts')).previewCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  schema: async () => (await import('./commands/schema.ts')).schemaCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
}

/** `millrace-ingest`, from its arguments to its exit code. */
export async function commandLine(invocation: Invocation, signal: AbortSignal): Promise<number> {
  const terminal = openTerminal(invocation)
  const [name = '--help', ...rest] = invocation.args
  try {
    if (name === '--version' || name === '-v') return print(terminal, version())
    if (name === '--help' || name === '-h' || name === 'help')
      return await help(invocation, terminal, rest[0])
    const command = commandNamed(name)
    if (rest.includes('--help') || rest.includes('-h')) return await help(invocation, terminal, command.name)
    // Loaded late, since connector settings slow down `--help`.
    const { readArguments } = await import('./arguments.ts')
    const registry = await registryOf(invocation)
    const args = readArguments(command, rest, registry)
    return await (await handlers[command.name]!())({ args, env: invocation.env, terminal, registry }, signal)
  } catch (error) {
    if (signal.aborted) {
      terminal.note('Stopped. The next run continues from here.')
      return EXIT.interrupted
    }
    terminal.note(messageOf(error))
    return exitCodeOf(error)
  }
}

async function help(invocation: Invocation, terminal: Terminal, name: string | undefined): Promise<number> {
  const { commandHelp, generalHelp } = await import('./help/help.ts')
  const registry = await registryOf(invocation)
  return print(
    terminal,
    name === undefined ? generalHelp(registry) : await commandHelp(commandNamed(name), registry),
  )
}

async function registryOf({ registry }: Invocation): Promise<Registry> {
  return registry ?? (await import('../connectors/registry.ts')).localConnectors
}

function commandNamed(name: string): Command {
  const command = findCommand(name)
  if (command) return command
  if (/\.ya?ml$/.test(name)) throw new UsageError(`name a command first: millrace-ingest run ${name}`)
  const names = commands.map((each) => each.name)
  const near = nearest(name, names)
  throw new UsageError(
    `unknown command ${JSON.stringify(name)}; ${near ? `did you mean ${near}?` : `the commands are ${names.join(', ')}`}`,
  )
}

function print(terminal: Terminal, text: string): number {
  terminal.print(text)
  return EXIT.ok
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
