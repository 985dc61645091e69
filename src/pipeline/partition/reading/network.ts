import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { makeFolder, removeFolder } from './confinement.ts'
import { ownRoot } from './own-root.ts'

/** How a reader is kept from the network: namespaces without network and, at best, without other files, or not at all. */
type NetworkConfinement = {
  kind: 'user, mount and network namespace' | 'user and network namespace' | 'network namespace' | 'none'
  /** The program that starts Node, with its arguments; empty without confinement. `folder` is the reader's own. */
  command(folder: string | null): string[]
  /** The folder exists only for the reader. */
  hasOwnFolder?: true
}

const PROGRAMS = ['/usr/bin/unshare', '/bin/unshare']
const NONE: NetworkConfinement = { kind: 'none', command: () => [] }
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
    // Root inside, to mount; outside still the user of the service.
    {
      kind: 'user, mount and network namespace',
      hasOwnFolder: true,
      command: (folder) => {
        const namespaces = [unshare, '--user', '--map-root-user', '--net']
        return folder ? [...namespaces, '--mount', '--', ...ownRoot(folder)] : [...namespaces, '--']
      },
    },
    // A user namespace leaves the reader no privileges, even if the service runs as root.
    {
      kind: 'user and network namespace',
      command: () => [unshare, '--user', '--map-current-user', '--net', '--'],
    },
    { kind: 'network namespace', command: () => [unshare, '--net', '--'] },
  ]
  const folder = makeFolder()
  try {
    return candidates.find(({ command }) => isUsable(command(folder))) ?? NONE
  } finally {
    removeFolder(folder ?? '')
  }
}

/** Also reads our code: in a user namespace, root has no access to files of other users. */
export function isUsable([program = '', ...args]: string[], limitMs = TRY_MS): boolean {
  const script = `fs.readFileSync(${JSON.stringify(import.meta.filename)})`
  const options = { env: {}, stdio: 'ignore', timeout: limitMs } as const
  const { status, error } = spawnSync(program, [...args, process.execPath, '-e', script], options)
  // A busy machine is no reason to give up confinement; a refusal comes at once.
  return status === 0 || (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT')
}
