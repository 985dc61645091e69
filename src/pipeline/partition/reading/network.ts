import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** How a reader is kept from the network: a namespace without any network, or not at all. */
export type NetworkConfinement = {
  kind: 'network namespace' | 'user and network namespace' | 'none'
  /** The program that starts Node, with its arguments; empty without confinement. */
  command: string[]
}

const PROGRAMS = ['/usr/bin/unshare', '/bin/unshare']
const NONE: NetworkConfinement = { kind: 'none', command: [] }
const TRY_MS = 60_000

let detected: NetworkConfinement | undefined

/** Asks the system once. */
export function networkConfinement(): NetworkConfinement {
  detected ??= detect()
  return detected
}

/** `unshare` replaces itself by Node, so that process id and channel stay the same. */
function detect(): NetworkConfinement {
  const unshare = process.platform === 'linux' ? PROGRAMS.find((path) => existsSync(path)) : undefined
  if (!unshare) return NONE
  const candidates: NetworkConfinement[] = [
    // A user namespace leaves the reader no privileges, even if the service runs as root.
    {
      kind: 'user and network namespace',
      command: [unshare, '--user', '--map-current-user', '--net', '--'],
    },
    { kind: 'network namespace', command: [unshare, '--net', '--'] },
  ]
  return candidates.find(({ command }) => isUsable(command)) ?? NONE
}

/** Also reads our code: in a user namespace, root has no access to files of other users. */
export function isUsable([program = '', ...args]: string[], limitMs = TRY_MS): boolean {
  const script = `fs.readFileSync(${JSON.stringify(import.meta.filename)})`
  const options = { env: {}, stdio: 'ignore', timeout: limitMs } as const
  const { status, error } = spawnSync(program, [...args, process.execPath, '-e', script], options)
  // A busy machine is no reason to give up confinement; a refusal comes at once.
  return status === 0 || (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT')
}
