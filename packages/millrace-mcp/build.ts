import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputFolder } from '../build/package-folder.ts'

/**
 * Builds the package `millrace-mcp` into dist/: JavaScript without dependencies.
 *
 *   npm run build:mcp && npm pack ./dist/millrace-mcp
 */
const root = join(import.meta.dirname, '../..')
const out = outputFolder('millrace-mcp')

rmSync(out, { recursive: true, force: true })
const tsc = join(root, 'node_modules/.bin/tsc')
const options = ['-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', out]
const { status } = spawnSync(tsc, options, { stdio: 'inherit' })
if (status !== 0) process.exit(1)
mkdirSync(join(out, 'bin'), { recursive: true })
cpSync(join(import.meta.dirname, 'bin.js'), join(out, 'bin/millrace-mcp.js'))
cpSync(join(import.meta.dirname, 'README.md'), join(out, 'README.md'))
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
const manifest = {
  ...readJson(join(import.meta.dirname, 'package.json')),
  version: readJson(join(root, 'package.json')).version,
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
console.log(`built ${out}`)

function readJson(path: string): { version: string } {
  return JSON.parse(readFileSync(path, 'utf8'))
}
