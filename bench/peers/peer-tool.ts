import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CHUNK_DEFAULTS } from '../../src/pipeline/chunk/settings.ts'
import { accounts } from '../../test/world/wiki/accounts.ts'
import { type PeerName, pythonOf } from './environments.ts'
import { measured, type Tool, type ToolJob } from './tool.ts'

const FOLDER = join(import.meta.dirname, 'python')
const GUARD = join(import.meta.dirname, 'guard')

/** A peer in Python. It is measured from the end of its imports. */
export async function peerTool(name: PeerName, script: string): Promise<Tool> {
  const python = await pythonOf(name)
  return {
    name,
    async run(job) {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-peer-'))
      const refused = join(folder, 'refused')
      const child = spawn(python, [join(FOLDER, script)], {
        cwd: folder,
        stdio: ['pipe', 'pipe', 'pipe'],
        env: environment(folder, refused),
      })
      const ended = once(child, 'close')
      const errors = lastLines(child.stderr)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      try {
        await waitFor(lines, 'READY', errors)
        const usage = await measured([child.pid ?? -1], async () => {
          child.stdin.write(`${JSON.stringify(settings(job))}\n`)
          await waitFor(lines, 'DONE', errors)
        })
        child.stdin.end()
        await ended
        await assertNothingRefused(name, refused)
        return usage
      } finally {
        child.kill('SIGKILL')
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

function settings({ wiki, engine, index }: ToolJob): object {
  return {
    wiki_url: wiki.cloudUrl,
    wiki_user: accounts.crawler.email,
    wiki_token: accounts.crawler.apiToken,
    engine_url: engine.url,
    engine_user: engine.adminAuth.username,
    engine_password: engine.adminAuth.password,
    index,
    chunk_size: CHUNK_DEFAULTS.max_characters,
    chunk_soft_size: CHUNK_DEFAULTS.new_after_n_chars,
    chunk_combine_under: CHUNK_DEFAULTS.combine_text_under_n_chars,
  }
}

/** No proxies, no telemetry, no downloads. */
function environment(folder: string, refused: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    TMPDIR: folder,
    PYTHONPATH: `${GUARD}:${FOLDER}`,
    PYTHONDONTWRITEBYTECODE: '1',
    PEERS_REFUSED: refused,
    DO_NOT_TRACK: 'true',
    SCARF_NO_ANALYTICS: 'true',
    ANONYMIZED_TELEMETRY: 'false',
    LANGCHAIN_TRACING_V2: 'false',
    LANGSMITH_TRACING: 'false',
    OTEL_SDK_DISABLED: 'true',
  }
}

async function waitFor(lines: AsyncIterator<string>, word: string, errors: () => string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the peer ended before ${word}:\n${errors()}`)
    if (value === word) return
  }
}

function lastLines(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-4000)
  })
  return () => text
}

async function assertNothingRefused(name: string, file: string): Promise<void> {
  const hosts = await readFile(file, 'utf8').catch(() => '')
  if (hosts !== '') throw new Error(`${name} tried to reach ${hosts.trim().split('\n').join(', ')}`)
}
