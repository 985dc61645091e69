import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DocumentRef } from '../../src/document.ts'
import type { Runner } from '../../src/pipeline/runner.ts'
import type { ExpectedDocument, ReadElement } from './expected.ts'

/** Elements per document; null, with a reason in `failed`, if unreadable. */
export type ReaderOutput = {
  version: string
  note?: string
  made: (ReadElement[] | null)[]
  failed: Record<string, string>
}

export async function readWithOurs(
  runner: Runner,
  documents: ExpectedDocument[],
  signal: AbortSignal,
): Promise<ReadElement[][]> {
  const made: ReadElement[][] = []
  for (const document of documents) made.push(await readOne(runner, document, signal))
  return made
}

export async function readOne(
  runner: Runner,
  document: Pick<ExpectedDocument, 'name' | 'filetype' | 'bytes'>,
  signal: AbortSignal,
): Promise<ReadElement[]> {
  const { name: filename, filetype, bytes: body } = document
  // Reading uses only these fields of a ref.
  const ref = { filename, title: '', url: '' } as DocumentRef
  const { elements } = await runner.partition({ ref, version: '1', filetype, body }, signal)
  return elements.map(({ type, text, metadata }) => ({
    type,
    text,
    depth: metadata.category_depth ?? null,
    html: metadata.text_as_html ?? null,
  }))
}

type PeerReport = {
  version: string
  note?: string
  documents: ({ made: [string, string, number | null, string | null][] } | { failed: string })[]
  /** Seconds per reading of each document, if requested. */
  seconds?: number[][]
}

/** The output of a Python library, or why it is missing. */
export async function readWithPeer(
  python: string,
  library: 'unstructured' | 'docling',
  documents: ExpectedDocument[],
): Promise<ReaderOutput | string> {
  const report = await runPeer(python, library, { paths: documents.map(({ path }) => path), rounds: 0 })
  if (typeof report === 'string') return report
  const failed: Record<string, string> = {}
  const made = report.documents.map((document, at) => {
    if ('made' in document)
      return document.made.map(([type, text, depth, html]) => ({ type, text, depth, html }))
    failed[documents[at]!.name] = document.failed
    return null
  })
  const { version, note } = report
  return { version, ...(note ? { note } : {}), made, failed }
}

/** Seconds of each reading of a file, after one uncounted reading. */
export async function timePeer(python: string, path: string, rounds: number): Promise<number[] | string> {
  const report = await runPeer(python, 'unstructured', { paths: [path], rounds })
  if (typeof report === 'string') return report
  const [document] = report.documents
  if (document && 'failed' in document) return document.failed
  return report.seconds?.[0] ?? []
}

async function runPeer(
  python: string,
  library: string,
  order: { paths: string[]; rounds: number },
): Promise<PeerReport | string> {
  const before = await withoutNetwork()
  const command = [...before, python]
  const has = await run([...command, '-c', `import ${library}`], '')
  if (has.code !== 0) return `${library} is not installed in the interpreter given by --python`
  const script = join(import.meta.dirname, 'peer.py')
  const { code, out } = await run([...command, script, library], JSON.stringify(order), 'inherit')
  if (code !== 0) return `${library} failed`
  return { ...(JSON.parse(out) as PeerReport) }
}

/** In a network namespace without a network, if the system allows it. */
async function withoutNetwork(): Promise<string[]> {
  const unshare = ['unshare', '--map-root-user', '--net']
  const works = await promisify(execFile)(unshare[0]!, [...unshare.slice(1), 'true']).then(
    () => true,
    () => false,
  )
  return works ? unshare : []
}

function run(
  [command, ...args]: string[],
  input: string,
  errors: 'inherit' | 'ignore' = 'ignore',
): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    const child = spawn(command!, args, { stdio: ['pipe', 'pipe', errors] })
    const parts: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => parts.push(part))
    child.on('error', () => resolve({ code: -1, out: '' }))
    child.on('close', (code) => resolve({ code, out: Buffer.concat(parts).toString() }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
