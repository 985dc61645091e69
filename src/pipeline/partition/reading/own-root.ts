import { existsSync } from 'node:fs'
import { codeFolders } from './confinement.ts'

/** Libraries, fonts and devices. Neither has sockets, unlike `/run`, `/tmp` and `/var`. */
const SYSTEM = [
  ...['/usr', '/bin', '/lib', '/lib64', '/nix', '/proc', '/etc/fonts', '/etc/localtime', '/etc/ld.so.cache'],
  ...['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'],
]

/**
 * Shows a program only some paths and a folder in memory, so that it reaches no socket that is a file. Every system has
 * `/sys`, and a reader does not need it. Without capabilities there is no way out of the root.
 */
const SCRIPT = `
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
own=$1 root=/sys
shift
mount -t tmpfs -o size=256m tmpfs "$root"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root$(dirname "$1")"; : > "$root$1"; fi
  mount --rbind "$1" "$root$1"
  shift
done
shift
mkdir -p "$root$own"
cd "$root"
exec chroot . /usr/bin/setpriv --bounding-set -all --inh-caps -all --no-new-privs "$@"
`

/** Starts the program that follows in a root with only the paths that a reader needs, and an empty `folder`. */
export function ownRoot(folder: string): string[] {
  const paths = [...SYSTEM, process.execPath, ...codeFolders()].filter((path) => existsSync(path))
  return ['/bin/sh', '-c', SCRIPT, 'sh', folder, ...new Set(paths), '--']
}
