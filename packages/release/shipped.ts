import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageOf, root } from '../build/package-folder.ts'

/** An entry of package-lock.json. */
export type Locked = {
  version?: string
  license?: string
  /** A folder of this project. */
  link?: boolean
  integrity?: string
  /** The platforms that it is for; a list, or one. */
  os?: string[] | string
  cpu?: string[] | string
  libc?: string[] | string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export type Lockfile = { packages: Record<string, Locked> }

/** A package of others that users receive: installed with ours, or inside our files. */
export type Shipped = { path: string; name: string; version: string; locked: Locked; needs: string[] }

const WEB_IMPORT = /^(?:import|export)\b(?:(?!\btype\b)[^'";]*?\bfrom\s*)?\s*['"]([@a-z][^'"]*)['"]/gm

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

/** The dependencies of the project, and the packages that are built into the page. */
export function shippedRoots({ packages }: Lockfile): string[] {
  const { dependencies = {}, optionalDependencies = {} } = packages[''] ?? {}
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...pageImports()]
}

/** All packages that the roots need, once per installed path, in the order of their paths. */
export function shippedPackages(lockfile: Lockfile, roots: string[]): Shipped[] {
  const found = new Map<string, Shipped>()
  const waiting = roots.map((name) => locate(lockfile, '', name))
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (path === null || found.has(path)) continue
    const locked = lockfile.packages[path] ?? {}
    if (locked.link) continue
    const needs = neededBy(locked).map((name) => locate(lockfile, path ?? '', name))
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const installed = needs.filter((each) => each !== null).filter((each) => !lockfile.packages[each]?.link)
    found.set(path, { path, name, version: locked.version ?? '', locked, needs: installed })
    waiting.push(...needs)
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function neededBy({ dependencies, optionalDependencies, peerDependencies }: Locked): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

/** As Node finds it: in the nearest node_modules. Null for an optional peer that is not installed. */
function locate({ packages }: Lockfile, from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at ? `${at}/` : ''}node_modules/${name}`
    if (packages[path]) return path
    if (at === '') return null
    if (!at.includes('/node_modules/')) at = ''
  }
}

function pageImports(): string[] {
  const names = new Set<string>()
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !path.includes('.test.'))
  for (const path of files) {
    const code = readFileSync(join(root, path), 'utf8')
    for (const [, specifier = ''] of code.matchAll(WEB_IMPORT))
      if (!specifier.startsWith('node:')) names.add(packageOf(specifier))
  }
  // Our own client is not in node_modules.
  names.delete('millrace-client')
  return [...names].sort()
}
