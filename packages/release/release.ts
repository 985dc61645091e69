import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProject, root } from '../build/package-folder.ts'
import { releaseProblems } from './release-checks.ts'

/**
 * `npm run release` checks the tree and writes the packages, the bill of materials, the licences and their checksums
 * into dist/release. It publishes nothing; it prints the commands that do.
 */
const PACKAGES = ['millrace', 'millrace-ingest', 'millrace-client', 'millrace-mcp']
const out = join(root, 'dist/release')
const { version } = readProject()

const problems = releaseProblems({
  version,
  lockedVersion: JSON.parse(read('package-lock.json')).version,
  pythonVersion: /^version = "(.*)"$/m.exec(read('packages/python/pyproject.toml'))?.[1] ?? '',
  changelog: read('CHANGELOG.md'),
  changedFiles: git('status', '--porcelain'),
  tags: git('tag', '--list').split('\n'),
})
for (const problem of problems) console.error(`release: ${problem}`)
if (problems.length > 0) process.exit(1)

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
node('packages/release/main.ts', 'licences')
node('packages/release/main.ts', 'sbom')
for (const name of PACKAGES) {
  node(`packages/${name}/build.ts`)
  const built = join(root, 'dist', name)
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  if (manifest.version !== version) throw new Error(`${name} has the version ${manifest.version}`)
  if (manifest.bundleDependencies) addLicences(built, manifest)
  execFileSync('npm', ['pack', '--silent', built], { cwd: out, stdio: 'inherit' })
}
execFileSync(
  'python3',
  ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', out, './packages/python'],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
writeFileSync(join(out, 'SHA256SUMS'), checksums())
console.log(`\ndist/release is complete. To publish it:\n\n${commands().join('\n')}`)

/** Packages that contain files of others contain their licences too. */
function addLicences(built: string, manifest: { files: string[] }): void {
  cpSync(join(out, 'THIRD-PARTY-LICENCES.txt'), join(built, 'THIRD-PARTY-LICENCES.txt'))
  const files = [...manifest.files, 'THIRD-PARTY-LICENCES.txt']
  writeFileSync(join(built, 'package.json'), `${JSON.stringify({ ...manifest, files }, null, 2)}\n`)
}

function checksums(): string {
  const names = readdirSync(out).sort()
  const sum = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')
  return names.map((name) => `${sum(name)}  ${name}\n`).join('')
}

function commands(): string[] {
  return [
    `  git tag v${version} && git push origin v${version}`,
    ...PACKAGES.map((name) => `  npm publish dist/release/${name}-${version}.tgz --access public`),
    ...globSync('*.whl', { cwd: out }).map((name) => `  python3 -m twine upload dist/release/${name}`),
  ]
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function node(...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
}
