import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'

const INSIDE = 'PEERS_ISOLATED'
const LOOPBACK = join(import.meta.dirname, 'python', 'loopback.py')

/** Whether this process has a network of loopback only. */
export const isIsolated = (): boolean => process.env[INSIDE] === 'yes'

/** Runs this program again in a network namespace without other devices; false if the system allows none. */
export async function runIsolated(): Promise<boolean> {
  const command = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--net']
  const [program = '', ...args] = [...command, 'python3', LOOPBACK]
  if (spawnSync(program, [...args, 'true']).status !== 0) return false
  const child = spawn(program, [...args, process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: 'yes' },
  })
  // Ctrl-C reaches the child through the terminal.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  return true
}
