import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { nearest } from '../../nearest.ts'

/** The content of a job file: with references, before validation. */
type WrittenJob = {
  source: Part
  destination: Part
  nodes: unknown
  state: string | null
}
export type Part = { type: string | null; config: Record<string, unknown> }

const config = z.record(z.string(), z.unknown())
const part = z.strictObject({ type: z.string().min(1), config: config.nullish() })

const jobFile = z.strictObject({
  version: z.literal(1, 'version must be 1').optional(),
  source: part,
  destination: part,
  nodes: z.array(z.unknown()).nullish(),
  state: z.string().min(1).nullish(),
})

const KNOWN_KEYS: Record<string, string[]> = {
  '': ['version', 'source', 'destination', 'nodes', 'state'],
  source: ['type', 'config'],
  destination: ['type', 'config'],
}

export const EMPTY_JOB: WrittenJob = {
  source: { type: null, config: {} },
  destination: { type: null, config: {} },
  nodes: null,
  state: null,
}

export async function readJobFile(path: string): Promise<WrittenJob> {
  const written = parse(await read(path), path)
  const parsed = jobFile.safeParse(written)
  if (!parsed.success) throw invalidJobFile(path, parsed.error)
  const { source, destination, nodes, state } = parsed.data
  return {
    source: { type: source.type, config: source.config ?? {} },
    destination: { type: destination.type, config: destination.config ?? {} },
    nodes: nodes ?? null,
    state: state ?? null,
  }
}

/** One file next to the job, named after it. */
export function stateFileFor(jobPath: string): string {
  return join(dirname(jobPath), `${basename(jobPath, extname(jobPath))}.state.jsonl`)
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : code
    throw new AppError('invalid_request', `reading the job file ${path}: ${why}`, {
      cause: error,
      ...(code === 'ENOENT' ? { fix: 'millrace-ingest --help shows an example' } : {}),
    })
  }
}

/** Leaves out the library's message: it shows the line, which may hold a secret. */
function parse(text: string, path: string): unknown {
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (!error) {
    try {
      return document.toJS({ maxAliasCount: 100 })
    } catch {
      throw new AppError('invalid_request', `reading the job file ${path}: it has too many aliases`)
    }
  }
  const position = error.linePos?.[0]
  const where = position ? ` at line ${position.line}, column ${position.col}` : ''
  throw new AppError(
    'invalid_request',
    `reading the job file ${path}: it is not valid YAML${where} (${error.code})`,
  )
}

function invalidJobFile(path: string, error: z.ZodError): AppError {
  const lines = error.issues.slice(0, 20).flatMap((issue) => {
    const at = issue.path.join('.')
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, at))
    if (issue.code === 'invalid_type' && issue.message.includes('undefined')) return `${at} is missing`
    return at ? `${at}: ${issue.message}` : 'source and destination are required'
  })
  return new AppError('invalid_request', `reading the job file ${path}: ${lines.join('; ')}`)
}

function unknownKey(key: string, at: string): string {
  const known = KNOWN_KEYS[at] ?? []
  const near = nearest(key, known)
  const hint = near ? `did you mean ${near}?` : `the known ones are ${known.join(', ')}`
  return `unknown ${at ? `${at}.` : ''}${key}; ${hint}`
}
