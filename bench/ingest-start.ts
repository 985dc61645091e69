import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { machine, saveResult } from './results.ts'

/** `node bench/ingest-start.ts`: start time of `millrace-ingest` as a ratio to an empty Node process. */
const TIMES = 10
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const commands = {
  nothing: ['-e', '0'],
  help: [main, '--help'],
  help_of_run: [main, 'run', '--help'],
  version: [main, '--version'],
}
type Name = keyof typeof commands
const names = Object.keys(commands) as Name[]

// One uncounted run each, so that files are cached and compiled.
for (const name of names) measureMs(name)
const times = new Map<Name, number[]>(names.map((name) => [name, []]))
for (let time = 0; time < TIMES; time++) for (const name of names) times.get(name)!.push(measureMs(name))

const medians = Object.fromEntries(names.map((name) => [name, median(times.get(name)!)])) as Record<
  Name,
  number
>
const ratio = (name: Name) => Math.round((medians[name] / medians.nothing) * 100) / 100
const ratios = { help: ratio('help'), help_of_run: ratio('help_of_run'), version: ratio('version') }
console.log(
  `median of ${TIMES}, ms: ${JSON.stringify(medians)}; ratio to an empty Node process: ${JSON.stringify(ratios)}`,
)
await saveResult('ingest-start.jsonl', {
  ...{ date: new Date().toISOString(), machine: machine(), times: TIMES, median_ms: medians, ratios },
})

function measureMs(name: Name): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, commands[name], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
  return Math.round(performance.now() - began)
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}
