import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { DestinationType, SourceType } from '../connectors/connector.ts'
import { type Config, parseConfig, secretFields } from '../connectors/describe.ts'
import type { Egress } from '../connectors/egress.ts'
import { AppError } from '../errors.ts'
import { type Node, parseNodes } from '../pipeline/nodes.ts'
import type { Arguments } from './arguments.ts'
import { destinationType, sourceType } from './connectors.ts'
import { EMPTY_JOB, readJobFile, stateBeside, type WrittenJob } from './job-file.ts'
import { fillReferences } from './references.ts'

/** Everything a run needs to know, checked. */
export type Job = {
  source: { type: SourceType; config: Config }
  destination: { type: DestinationType; config: Config }
  nodes: Node[]
  statePath: string
  /** What is carried where; the state file belongs to it. */
  target: string
  secrets: string[]
}

/** The job file, if one was named, and over it what was given as flags. */
export async function readJob(
  { positional, flags, state }: Arguments,
  env: Record<string, string | undefined>,
): Promise<Job> {
  const [path] = positional
  const written = path === undefined ? EMPTY_JOB : await readJobFile(path)
  const job = fillReferences(laidOver(written, flags), env) as WrittenJob
  const source = read(sourceType(job.source.type ?? 'wiki'), job.source.config, 'source')
  const destination = read(
    destinationType(job.destination.type ?? 'searchindex'),
    job.destination.config,
    'destination',
  )
  const { nodes } = job
  return {
    source,
    destination,
    nodes: parseNodes(nodes ?? undefined, ['nodes']),
    statePath: resolve(state ?? job.state ?? (path ? stateBeside(path) : 'millrace-ingest.state.jsonl')),
    target: targetOf(source, destination),
    secrets: [source, destination].flatMap(({ type, config }) =>
      secretFields(type).flatMap((name) => (typeof config[name] === 'string' ? [config[name]] : [])),
    ),
  }
}

function laidOver(written: WrittenJob, flags: Arguments['flags']): WrittenJob {
  return {
    source: {
      type: flags.source.type ?? written.source.type,
      config: { ...written.source.config, ...flags.source.config },
    },
    destination: {
      type: flags.destination.type ?? written.destination.type,
      config: { ...written.destination.config, ...flags.destination.config },
    },
    nodes: flags.nodes ?? written.nodes,
    state: written.state,
  }
}

function read<T extends SourceType | DestinationType>(
  type: T,
  config: Record<string, unknown>,
  side: string,
): { type: T; config: Config } {
  try {
    return { type, config: parseConfig(type, config, { egress: OWN_MACHINE }).config }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(
      'invalid_request',
      error.message.replace('reading the config', `${side}: reading the config`),
      {
        cause: error,
      },
    )
  }
}

/** The person at the keyboard owns the machine: no address is refused by looking at it. */
const OWN_MACHINE = { isAllowed: () => true, refusal: () => null } as unknown as Egress

/** By address, not by credentials: a new token is the same wiki. */
function targetOf(
  source: { type: SourceType; config: Config },
  destination: { type: DestinationType; config: Config },
): string {
  const place = ({ type, config }: { type: { type: string; addressFields: string[] }; config: Config }) => [
    type.type,
    ...type.addressFields.map((field) => config[field] ?? null),
    config.index_name ?? null,
    typeof config.path === 'string' ? join(resolve(config.path)) : null,
  ]
  return createHash('sha256')
    .update(JSON.stringify([place(source), place(destination)]))
    .digest('hex')
    .slice(0, 16)
}
