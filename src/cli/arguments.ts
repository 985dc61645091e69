import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import type { Registry } from '../connectors/registry.ts'
import { nearest } from '../nearest.ts'
import type { Command } from './commands.ts'
import { UsageError } from './exit.ts'
import { type ConnectorFlag, connectorFlags, flagValue } from './flags.ts'
import type { Part } from './job-file/job-file.ts'

export type Arguments = {
  positional: string[]
  flags: { source: Part; destination: Part; nodes: unknown }
  state: string | null
  options: Record<string, string | boolean | undefined>
}

type Value = string | boolean

/** Commands that read a job have a flag for each connector setting. */
export function readArguments(command: Command, args: string[], registry: Registry): Arguments {
  const flags = command.readsJob ? connectorFlags(registry) : []
  const options = {
    ...Object.fromEntries(command.options.map(({ name, value }) => [name, option(value === undefined)])),
    ...(command.readsJob ? JOB_OPTIONS : {}),
    ...Object.fromEntries(flags.map((flag) => [flag.name, option(flag.kind === 'boolean')])),
    help: option(true),
  }
  const { values, positionals } = parseFlags(command, args, options)
  if (positionals.length > command.positional.max) {
    throw new UsageError(`${command.name} takes ${command.positional.expects}`, command.name)
  }
  const given = (name: string) => (values[name] as Value[] | undefined) ?? []
  const last = (name: string) => given(name).at(-1)
  const side = (wanted: ConnectorFlag['side']): Part => ({
    type: textOf(last(`${wanted}-type`)),
    config: Object.fromEntries(
      flags
        .filter((flag) => flag.side === wanted && given(flag.name).length > 0)
        .map((flag) => [flag.field, flagValue(flag, given(flag.name))]),
    ),
  })
  return {
    positional: positionals,
    flags: {
      source: side('source'),
      destination: side('destination'),
      nodes: nodesOf(last('nodes'), command),
    },
    state: textOf(last('state')),
    options: Object.fromEntries(command.options.map(({ name }) => [name, last(name)])),
  }
}

/** Flags may repeat: lists collect all values, other flags take the last. */
function option(isBoolean: boolean) {
  return { type: isBoolean ? ('boolean' as const) : ('string' as const), multiple: true as const }
}

/** The flags of a job that no connector has. */
export const JOB_OPTIONS = Object.fromEntries(
  ['state', 'nodes', 'source-type', 'destination-type'].map((name) => [name, option(false)]),
)

type Options = Record<string, ReturnType<typeof option>>

function parseFlags(command: Command, args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true, strict: true })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const name = /'(-{1,2}[^'\s=]*)/.exec(message)?.[1] ?? ''
      const near = nearest(name.replace(/^-+/, ''), Object.keys(options))
      throw new UsageError(`unknown flag ${name}${near ? `; did you mean --${near}?` : ''}`, command.name)
    }
    // The library's message repeats the value, which may be a secret.
    const name = /'(?:-\w, )?(--[^'\s=]*)/.exec(message)?.[1]
    const isBoolean = name !== undefined && options[name.slice(2)]?.type === 'boolean'
    const what = isBoolean ? 'takes no value' : 'needs a value'
    throw new UsageError(name ? `${name} ${what}` : 'the flags cannot be read', command.name)
  }
}

/** Reads nodes from a file, or from the flag itself as YAML or JSON. */
function nodesOf(given: Value | undefined, command: Command): unknown {
  if (typeof given !== 'string') return null
  try {
    return parse(given.trimStart().startsWith('[') ? given : readFileSync(given, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'the file does not exist' : 'it is not a list of nodes in YAML or JSON'
    throw new UsageError(`--nodes ${given.slice(0, 80)}: ${why}`, command.name)
  }
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
