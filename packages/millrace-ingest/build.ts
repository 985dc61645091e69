import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { bundleEmbeddingRuntime } from '../build/embedding-runtime.ts'
import {
  addCommand,
  compile,
  emptyPackage,
  nodePackages,
  pinnedImports,
  readProject,
  root,
  writeManifest,
} from '../build/package-folder.ts'

/**
 * Builds the package `millrace-ingest` into dist/: the files that the command line imports, the model, and a
 * package.json with the tested versions. Database, server and page are not included.
 *
 *   npm run build:ingest && npm pack ./dist/millrace-ingest
 */
const project = readProject()
const out = emptyPackage('millrace-ingest')
compile(out, ['src/launch.ts', 'src/cli/main.ts'])
addCommand(out, 'millrace-ingest')
cpSync(join(root, 'models'), join(out, 'models'), { recursive: true })
writeManifest(out, {
  name: 'millrace-ingest',
  version: project.version,
  description: 'Copies a wiki into a search index or PostgreSQL from the command line, with its permissions.',
  license: project.license,
  type: 'module',
  bin: { 'millrace-ingest': 'bin/millrace-ingest.js' },
  engines: project.engines,
  files: ['bin', 'src', 'models'],
  dependencies: pinnedImports(out, project),
  bundleDependencies: bundleEmbeddingRuntime(out),
  optionalDependencies: nodePackages(project),
})
