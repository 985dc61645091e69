import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputFolder } from '../build/package-folder.ts'

/**
 * Builds the package `millrace-client` into dist/: JavaScript with declarations, without dependencies.
 *
 *   npm run build:client && npm pack ./dist/millrace-client
 */
const root = join(import.meta.dirname, '../..')
const out = outputFolder('millrace-client')

rmSync(out, { recursive: true, force: true })
const tsc = join(root, 'node_modules/.bin/tsc')
const options = ['-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', join(out, 'dist')]
const { status } = spawnSync(tsc, options, { stdio: 'inherit' })
if (status !== 0) process.exit(1)
// The compiler rewrites the endings of imports in JavaScript only.
for (const path of globSync('dist/*.d.ts', { cwd: out })) {
  const text = readFileSync(join(out, path), 'utf8')
  writeFileSync(join(out, path), text.replaceAll(/(["']\.\/[\w-]+)\.ts(["'])/g, '$1.js$2'))
}
cpSync(join(import.meta.dirname, 'README.md'), join(out, 'README.md'))
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
console.log(`built ${out}`)

function manifest(): object {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return {
    name: 'millrace-client',
    version,
    description: 'A typed client of the Millrace API.',
    license,
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
  }
}
