import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

/** Results are comparable only with their machine. */
export function machine(): object {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
    node: process.version,
  }
}

/** Appends one line to a file in bench/results. */
export async function saveResult(name: string, result: object): Promise<void> {
  const directory = join(import.meta.dirname, 'results')
  await mkdir(directory, { recursive: true })
  const path = join(directory, name)
  const before = await readFile(path, 'utf8').catch(() => '')
  await writeFile(path, `${before}${JSON.stringify(result)}\n`)
  console.log(`saved to bench/results/${name}`)
}
