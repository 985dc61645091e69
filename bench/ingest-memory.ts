import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accounts } from '../test/world/wiki/accounts.ts'
import { startWiki } from '../test/world/wiki/start.ts'
import { machine, saveResult } from './results.ts'

/** `node bench/ingest-memory.ts`: peak memory of `millrace-ingest` at two wiki sizes, without vectors. */
const { values } = parseArgs({
  options: { small: { type: 'string', default: '5000' }, large: { type: 'string', default: '20000' } },
})
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

const small = await measure(Number(values.small))
const large = await measure(Number(values.large))
const growth = Math.round((large.first.peak_mb / small.first.peak_mb) * 100) / 100
console.log(`peak of the large one: ${growth} times that of the small one`)
await saveResult('ingest-memory.jsonl', {
  ...{ date: new Date().toISOString(), machine: machine(), small, large, peak_memory_large_to_small: growth },
})

async function measure(pages: number) {
  const wiki = await startWiki({ seed: 5, pages, spaces: 8, people: 200, groups: 20 })
  const folder = await mkdtemp(join(tmpdir(), 'ingest-memory-'))
  const state = join(folder, 'state.jsonl')
  const args = [
    ...['--source-url', wiki.siteUrl, '--source-cloud', '--source-username', accounts.crawler.email],
    ...['--source-token', accounts.crawler.apiToken, '--source-max-num-of-docs-from-each-space', '100000'],
    ...['--destination-type', 'folder', '--destination-path', join(folder, 'elements'), '--state', state],
    ...['--nodes', '[{type: partition}, {type: chunk}]', '--json'],
  ]
  try {
    const first = await run(args)
    const second = await run(args)
    const stateMb = Math.round((await stat(state)).size / 1e5) / 10
    const measured = { pages, first, second, state_mb: stateMb }
    console.log(JSON.stringify(measured))
    return measured
  } finally {
    await wiki.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(args: string[]): Promise<{ seconds: number; peak_mb: number; elements: number }> {
  const began = performance.now()
  const child = spawn(process.execPath, [main, 'run', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let peak = 0
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
  }, 100)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0) throw new Error(`a run ended with ${code}: ${out.slice(-500)}`)
  const { counts } = JSON.parse(out.trim().split('\n').at(-1)!) as { counts: { elements: number } }
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return { seconds, peak_mb: Math.round(peak / 1000), elements: counts.elements }
}
