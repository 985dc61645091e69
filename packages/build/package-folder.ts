import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The package.json of the project. */
export type Project = {
  version: string
  description: string
  license: string
  engines: object
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

export function readProject(): Project {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
}

/** Static, dynamic and resolved imports of packages, not of paths. */
const IMPORT =
  /(?:^(?:import|export)\b[^'"`;=]*\bfrom\s*|^import\s*|\bimport(?:\.meta\.resolve)?\(\s*)['"]([@a-z][\w@/.:-]*)['"]/gm

/** Packages of data files, found by name and not by an import. */
const DATA = ['@tesseract.js-data/eng']

/** Files that a process or a thread loads by path. */
const LOADED_BY_PATH = [
  'src/pipeline/embed/worker.ts',
  'src/pipeline/partition/reading/child.ts',
  'src/pipeline/partition/reading/watch.ts',
]

/** Below dist/, or below the folder after `--into`, so that tests do not share it. */
function outputFolder(name: string): string {
  const at = process.argv.indexOf('--into')
  return join(at === -1 ? join(root, 'dist') : (process.argv[at + 1] ?? ''), name)
}

/** An empty folder with the licence and the README of the package. */
export function emptyPackage(name: string): string {
  const out = outputFolder(name)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'bin'), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
  cpSync(join(root, 'packages', name, 'README.md'), join(out, 'README.md'))
  return out
}

/** The files that the entry points import, as JavaScript in the same tree: Node refuses TypeScript in node_modules. */
export function compile(out: string, entryPoints: string[]): void {
  // Below the project, where the compiler finds the types of Node.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const config = join(root, `dist/${process.pid}.tsconfig.json`)
  const settings = {
    extends: '../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      rootDir: '..',
      outDir: out,
      sourceMap: false,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
    },
    include: [],
    files: [...entryPoints, ...LOADED_BY_PATH].map((path) => join(root, path)),
  }
  writeFileSync(config, JSON.stringify(settings))
  const status = runCompiler('-p', config)
  rmSync(config)
  if (status !== 0) process.exit(1)
}

/** The files of a package that has its own settings of the compiler. */
export function compilePackage(name: string, out: string): void {
  const status = runCompiler('-p', join(root, 'packages', name, 'tsconfig.json'), '--outDir', out)
  if (status !== 0) process.exit(1)
}

function runCompiler(...options: string[]): number | null {
  return spawnSync(join(root, 'node_modules/.bin/tsc'), options, { stdio: 'inherit' }).status
}

export function addCommand(out: string, name: string): void {
  cpSync(join(root, 'packages', name, 'bin.js'), join(out, 'bin', `${name}.js`))
}

/** The packages that the built files name, with the tested versions. */
export function pinnedImports(out: string, { dependencies }: Project): Record<string, string> {
  const names = new Set<string>(DATA)
  for (const path of globSync('src/**/*.js', { cwd: out })) {
    const code = readFileSync(join(out, path), 'utf8')
    for (const [, specifier = ''] of code.matchAll(IMPORT))
      if (!specifier.startsWith('node:')) names.add(packageOf(specifier))
  }
  return Object.fromEntries([...names].sort().map((name) => [name, pinned(name, dependencies)]))
}

/** The Node for machines with an older one; see src/launch.ts. */
export function nodePackages({ optionalDependencies }: Project): Record<string, string> {
  return optionalPackages(optionalDependencies, 'node-')
}

export function optionalPackages(all: Record<string, string>, prefix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(prefix)))
}

export function writeManifest(out: string, manifest: object): void {
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  console.log(`built ${out}`)
}

function pinned(name: string, versions: Record<string, string>): string {
  const version = versions[name]
  if (!version) throw new Error(`${name} is imported but is not a dependency of the project`)
  return version
}

export function packageOf(specifier: string): string {
  const parts = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, parts).join('/')
}
