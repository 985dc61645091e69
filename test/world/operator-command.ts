import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { compileCache } from './service.ts'

export type CommandResult = { code: number | null; text: string }
export type RunningCommand = { process: ChildProcess; result: Promise<CommandResult> }

/** Starts a command of the service operator, such as `rotate-key`. */
export function startOperatorCommand(
  name: 'rotate-key' | 'backup' | 'restore',
  args: string[],
  env: Record<string, string>,
): RunningCommand {
  const file = join(import.meta.dirname, `../../src/${name}.ts`)
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...compileCache(), ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  const result = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, text }))
  })
  return { process: child, result }
}

export function operatorCommand(...args: Parameters<typeof startOperatorCommand>): RunningCommand['result'] {
  return startOperatorCommand(...args).result
}
