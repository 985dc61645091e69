import { dirname, resolve } from 'node:path'
import { type Config, parseConfig, secretFields } from '../../connectors/describe.ts'
import type { Egress } from '../../connectors/egress/egress.ts'
import { type NetworkSettings, readNetwork } from '../../connectors/egress/network-settings.ts'
import type { Registry } from '../../connectors/registry.ts'
import { type ConfiguredType, targetHash } from '../../connectors/target.ts'
import type { DestinationType, SourceType } from '../../connectors/type.ts'
import { AppError } from '../../errors.ts'
import { configuredOf, type Endpoints, readEndpoints, secretsOf } from '../../pipeline/models/endpoints.ts'
import { type PipelineNode, parseNodes } from '../../pipeline/nodes.ts'
import type { Arguments } from '../arguments.ts'
import type { CommandInput } from '../command-handler.ts'
import { destinationType, sourceType } from '../connectors.ts'
import { type ConnectorFlag, connectorFlags, flagValue } from '../flags.ts'
import { fillReferences } from '../references.ts'
import { EMPTY_JOB, type Part, readJobFile, stateFileFor } from './job-file.ts'

/** A validated job. */
export type Job = {
  source: ConfiguredType<SourceType>
  destination: ConfiguredType<DestinationType>
  nodes: PipelineNode[]
  /** Model endpoints from the environment. */
  endpoints: Endpoints
  /** The proxy and additional authorities from the environment. */
  network: NetworkSettings
  statePath: string
  /** Identifies source and destination; a state file belongs to one target. */
  target: string
  secrets: string[]
}
type Env = Record<string, string | undefined>

/** The job of a command; its secrets are redacted from all output. */
export async function readJobOf({ args, env, registry, terminal }: CommandInput): Promise<Job> {
  const job = await readJobArguments(args, env, registry)
  for (const secret of job.secrets) terminal.redact(secret)
  return job
}

/** The job file, overridden by flags. */
export async function readJobArguments(
  { positional, flags, state }: Arguments,
  env: Env,
  registry: Registry,
): Promise<Job> {
  const [path] = positional
  const written = path === undefined ? EMPTY_JOB : await readJobFile(path)
  const folder = path === undefined ? '.' : dirname(path)
  const source = readSide(
    { side: 'source', find: (name) => sourceType(registry, name), registry, env, folder },
    written.source,
    flags.source,
  )
  const destination = readSide(
    { side: 'destination', find: (name) => destinationType(registry, name), registry, env, folder },
    written.destination,
    flags.destination,
  )
  const nodes = fillReferences(flags.nodes ?? written.nodes, env, 'nodes')
  const endpoints = readEndpoints(env)
  const network = readNetwork(env)
  return {
    source,
    destination,
    nodes: parseNodes(nodes ?? undefined, { loc: ['nodes'], configured: configuredOf(endpoints) }),
    endpoints,
    network,
    statePath: statePathOf({ flag: state, written: written.state, path }, env),
    target: targetHash(source, destination).slice(0, 16),
    secrets: [
      ...secretsOf(endpoints),
      ...(network.proxy?.secrets ?? []),
      ...[source, destination].flatMap(({ type, config }) =>
        secretFields(type).flatMap((name) => (typeof config[name] === 'string' ? [config[name]] : [])),
      ),
    ],
  }
}

type SideOptions<T> = {
  side: 'source' | 'destination'
  find(name: string): T
  registry: Registry
  env: Env
  folder: string
}

function readSide<T extends SourceType | DestinationType>(
  { side, find, registry, env, folder }: SideOptions<T>,
  written: Part,
  given: Part,
): ConfiguredType<T> {
  const typeOf = (name: string | null) =>
    name === null ? null : find(String(fillReferences(name, env, `${side}.type`)))
  const [flagType, fileType] = [typeOf(given.type), typeOf(written.type)]
  const type = flagType ?? fileType ?? find(registry[`${side}s`][0]?.type ?? '')
  const fieldOf = (name: string) => (Object.hasOwn(type.fieldAliases, name) ? type.fieldAliases[name]! : name)
  // Settings of another type do not apply.
  const fileConfig = flagType && fileType && flagType !== fileType ? {} : written.config
  const settings = Object.entries(fileConfig).filter(([name]) => !Object.hasOwn(given.config, fieldOf(name)))
  const flags = connectorFlags(registry).filter((flag) => flag.side === side)
  const flagOf = (name: string) => flags.find(({ field }) => field === fieldOf(name))
  const fill = (name: string, value: unknown) =>
    resolveValue(value, { env, at: `${side}.config.${name}`, flag: flagOf(name) })
  const fromFile = settings.map(([name, value]) => {
    const filled = fill(name, value)
    const isPath = flagOf(name)?.isPath && typeof filled === 'string' && filled !== ''
    return [name, isPath ? resolve(folder, filled) : filled]
  })
  const fromFlags = Object.entries(given.config).map(([name, value]) => [name, fill(name, value)])
  return { type, config: parseSettings(type, Object.fromEntries([...fromFile, ...fromFlags]), side) }
}

/** Values from the environment are text, parsed like flags. */
function resolveValue(
  value: unknown,
  { env, at, flag }: { env: Env; at: string; flag: ConnectorFlag | undefined },
): unknown {
  const filled = fillReferences(value, env, at)
  if (typeof filled !== 'string' || filled === value) return filled
  return flag ? flagValue(flag, [filled]) : filled
}

function parseSettings(
  type: SourceType | DestinationType,
  config: Record<string, unknown>,
  side: string,
): Config {
  try {
    return parseConfig(type, config, { egress: ANY_ADDRESS }).config
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = error.message.replace('reading the config', `${side}: reading the config`)
    throw new AppError('invalid_request', message, { cause: error })
  }
}

/** The user owns the machine, so every address is allowed. */
const ANY_ADDRESS = { isAllowed: () => true, refusal: () => null } as unknown as Egress

function statePathOf(
  { flag, written, path }: { flag: string | null; written: string | null; path: string | undefined },
  env: Env,
): string {
  if (flag !== null) return resolve(String(fillReferences(flag, env, '--state')))
  if (path === undefined) return resolve('millrace-ingest.state.jsonl')
  return written === null
    ? resolve(stateFileFor(path))
    : resolve(dirname(path), String(fillReferences(written, env, 'state')))
}
