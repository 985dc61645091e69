import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Builds the package `millrace-ingest` into dist/: the files that the command line imports, as JavaScript in the same
 * tree, the model, and a package.json with the tested versions. Database, server and page are not included.
 *
 *   npm run build:ingest && npm pack ./dist/millrace-ingest
 */
const root = join(import.meta.dirname, '../..')
const out = join(root, 'dist/millrace-ingest')

/** Static, dynamic and resolved imports of packages, not of paths. */
const IMPORT =
  /(?:^(?:import|export)\b[^'"`;=]*\bfrom\s*|^import\s*|\bimport(?:\.meta\.resolve)?\(\s*)['"]([@a-z][\w@/.:-]*)['"]/gm

/** Packages of data files, found by name and not by an import. */
const DATA = ['@tesseract.js-data/eng']

rmSync(out, { recursive: true, force: true })
compile()
mkdirSync(join(out, 'bin'), { recursive: true })
cpSync(join(import.meta.dirname, 'bin.js'), join(out, 'bin/millrace-ingest.js'))
cpSync(join(import.meta.dirname, 'README.md'), join(out, 'README.md'))
cpSync(join(root, 'models'), join(out, 'models'), { recursive: true })
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
console.log(`built ${out}`)

function compile(): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { status } = spawnSync(tsc, ['-p', join(import.meta.dirname, 'tsconfig.json')], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function manifest(): object {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const versions: Record<string, string> = project.dependencies
  const nodes = Object.entries<string>(project.optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  )
  return {
    name: 'millrace-ingest',
    version: project.version,
    description:
      'Copies a wiki into a search index or PostgreSQL from the command line, with its permissions.',
    license: project.license,
    type: 'module',
    bin: { 'millrace-ingest': 'bin/millrace-ingest.js' },
    engines: project.engines,
    files: ['bin', 'src', 'models'],
    dependencies: Object.fromEntries(imported().map((name) => [name, pinned(name, versions)])),
    // For machines with an older Node; see bin.js.
    optionalDependencies: Object.fromEntries(nodes),
  }
}

function pinned(name: string, versions: Record<string, string>): string {
  const version = versions[name]
  if (!version) throw new Error(`${name} is imported but is not a dependency of the project`)
  return version
}

/** Packages that the built files name, dynamic imports included. */
function imported(): string[] {
  const names = new Set<string>(DATA)
  for (const path of globSync('src/**/*.js', { cwd: out })) {
    const code = readFileSync(join(out, path), 'utf8')
    for (const [, specifier = ''] of code.matchAll(IMPORT)) {
      if (specifier.startsWith('node:')) continue
      names.add(
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    }
  }
  return [...names].sort()
}
