import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../build/package-folder.ts'
import { type Part, partsOf } from './binaries.ts'
import type { Contents } from './sbom.ts'
import type { Shipped } from './shipped.ts'

const CACHE = join(root, 'node_modules/.cache/platforms')

/** The parts of all packages. Packages of other platforms that Millrace runs on are fetched, if asked. */
export function contentsOf(shipped: Shipped[], { isFetching = false } = {}): Contents {
  const packages = new Map<string, Part[]>()
  for (const each of shipped) {
    const installed = join(root, each.path)
    const folder = existsSync(installed) ? installed : isFetching && isSupported(each) ? fetched(each) : null
    if (!folder) continue
    const parts = partsOf(folder, each)
    if (/^node-linux-/.test(each.name)) parts.push(...nodeParts(each.version))
    if (parts.length > 0) packages.set(each.path, parts)
  }
  return { packages, own: partsOf(join(root, 'models'), { name: 'models', version: '' }) }
}

/** Libraries in the binary of Node, as it names them itself: the same for all platforms of a version. */
function nodeParts(version: string): Part[] {
  if (process.versions.node !== version)
    throw new Error(`run this with Node ${version}, the one that is shipped`)
  const other = ['node', 'modules', 'napi', 'unicode', 'cldr', 'tz']
  return Object.entries(process.versions)
    .filter(([name]) => !other.includes(name))
    .map(([name, found]) => ({
      name,
      version: found ?? null,
      licence: 'LicenseRef-Node',
      type: 'library' as const,
      files: ['bin/node'],
    }))
}

function isSupported({ locked: { os, cpu, libc } }: Shipped): boolean {
  const fits = (list: string[] | string | undefined, supported: string[]) =>
    list === undefined || [list].flat().some((each) => supported.includes(each))
  return fits(os, ['linux', 'darwin']) && fits(cpu, ['x64', 'arm64']) && fits(libc, ['glibc'])
}

/** From the registry, compared with the checksum in the lock file. */
function fetched({ name, version, locked: { integrity } }: Shipped): string {
  const folder = join(CACHE, `${name.replace('/', '+')}-${version}`)
  if (existsSync(folder)) return join(folder, 'package')
  const making = `${folder}.${process.pid}`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: making })
  const archive = join(making, readdirSync(making)[0] ?? '')
  const digest = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (integrity !== `sha512-${digest}`)
    throw new Error(`${name}@${version} is not the one in package-lock.json`)
  execFileSync('tar', ['-xzf', archive], { cwd: making })
  rmSync(archive)
  renameSync(making, folder)
  return join(folder, 'package')
}
