import { createHash } from 'node:crypto'
import { closeSync, globSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { RULES } from './binary-rules.ts'

/** Software or data inside binary files of a package, with the files it was found in. */
export type Part = {
  name: string
  /** As the files say; null if they do not. */
  version: string | null
  licence: string
  type: 'library' | 'application' | 'data' | 'machine-learning-model'
  files: string[]
  /** Of the files, where no package has a checksum. */
  hashes?: string[]
}

/** What the binary files in a folder contain. Fails on a file that no rule knows. */
export function partsOf(folder: string, { name, version }: { name: string; version: string }): Part[] {
  const rules = RULES.filter((rule) => rule.in.test(name))
  const parts = new Map<string, Part>()
  for (const file of binaryFiles(folder)) {
    const matching = rules.filter(({ files }) => files.test(file))
    if (matching.length === 0)
      throw new Error(`${name} contains ${file}, which packages/release/binaries.ts does not know`)
    for (const rule of matching) {
      const { licence, type = 'library' } = rule
      const part = parts.get(rule.name) ?? { name: rule.name, version: null, licence, type, files: [] }
      part.version ??=
        rule.version === 'package'
          ? version
          : rule.version
            ? versionIn(join(folder, file), rule.version)
            : null
      part.files.push(file)
      if (rule.type === 'machine-learning-model')
        part.hashes = [...(part.hashes ?? []), sha256(join(folder, file))]
      parts.set(rule.name, part)
    }
  }
  return [...parts.values()]
}

/** Code for machines by its first bytes, and data by name. Links lead to files that are listed themselves. */
function binaryFiles(folder: string): string[] {
  return globSync('**/*', { cwd: folder, exclude: (path) => path === 'node_modules' })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .filter((path) => DATA.test(path) || isCode(join(folder, path)))
    .sort()
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

const DATA = /\.(onnx|traineddata(\.gz)?|pfb|ttf|icc|bcmap)$|(^|\/)tokenizer\.json$/

/** ELF, WebAssembly, archives, Windows, and Mach-O in its forms. */
const MAGIC = /^(7f454c46|0061736d|213c6172|4d5a|cffaedfe|cefaedfe|cafebabe|feedfac[ef])/

function isCode(path: string): boolean {
  const bytes = Buffer.alloc(4)
  const file = openSync(path, 'r')
  try {
    return readSync(file, bytes) === 4 && MAGIC.test(bytes.toString('hex'))
  } finally {
    closeSync(file)
  }
}

function versionIn(path: string, pattern: RegExp): string | null {
  const found = pattern.exec(path)?.[1] ?? pattern.exec(readFileSync(path, 'latin1'))?.[1] ?? null
  // libxml2 and libxslt write 2.9.4 as 20904.
  const [, major, minor, patch] = found?.match(/^(\d)(\d\d)(\d\d)$/) ?? []
  return major ? [major, minor, patch].map(Number).join('.') : found
}
