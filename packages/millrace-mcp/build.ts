import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addCommand,
  compilePackage,
  emptyPackage,
  readProject,
  writeManifest,
} from '../build/package-folder.ts'

/**
 * Builds the package `millrace-mcp` into dist/: JavaScript without dependencies.
 *
 *   npm run build:mcp && npm pack ./dist/millrace-mcp
 */
const out = emptyPackage('millrace-mcp')
compilePackage('millrace-mcp', out)
addCommand(out, 'millrace-mcp')
const own = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
writeManifest(out, { ...own, version: readProject().version })
