import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilePackage, emptyPackage, readProject, writeManifest } from '../build/package-folder.ts'

/**
 * Builds the package `millrace-client` into dist/: JavaScript with declarations, without dependencies.
 *
 *   npm run build:client && npm pack ./dist/millrace-client
 */
const out = emptyPackage('millrace-client')
compilePackage('millrace-client', join(out, 'dist'))
// The compiler rewrites the endings of imports in JavaScript only.
for (const path of globSync('dist/*.d.ts', { cwd: out })) {
  const text = readFileSync(join(out, path), 'utf8')
  writeFileSync(join(out, path), text.replaceAll(/(["']\.\/[\w-]+)\.ts(["'])/g, '$1.js$2'))
}
const { version, license } = readProject()
writeManifest(out, {
  name: 'millrace-client',
  version,
  description: 'A typed client of the Millrace API.',
  license,
  type: 'module',
  engines: { node: '>=20' },
  sideEffects: false,
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist'],
})
