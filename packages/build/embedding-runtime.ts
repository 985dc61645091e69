import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './package-folder.ts'

/**
 * The platforms that Millrace runs on. The original package has three times as many bytes, and its install script
 * downloads libraries for graphics cards from outside the registry (decision 28).
 */
const BINARIES = [
  'linux/x64/libonnxruntime.so.1',
  'linux/x64/onnxruntime_binding.node',
  'linux/arm64/libonnxruntime.so.1',
  'linux/arm64/onnxruntime_binding.node',
  'darwin/arm64/libonnxruntime.1.dylib',
  'darwin/arm64/onnxruntime_binding.node',
].map((path) => `bin/napi-v6/${path}`)

type Manifest = { name: string; version: string; scripts?: object; dependencies?: Record<string, string> }

/** Copies the runtime of the local model into the package, without its install script, and names what it bundles. */
export function bundleEmbeddingRuntime(out: string): string[] {
  copyPackage(out, 'onnxruntime-node', ['dist', ...BINARIES])
  copyPackage(out, 'onnxruntime-common', ['dist/cjs'])
  return ['onnxruntime-node', 'onnxruntime-common']
}

function copyPackage(out: string, name: string, paths: string[]): void {
  const from = join(root, 'node_modules', name)
  const to = join(out, 'node_modules', name)
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(from, path), join(to, path), {
      recursive: true,
      filter: (each) => !/\.(d\.ts|map)$/.test(each),
    })
  }
  // The packages on the registry have no licence file.
  cpSync(join(import.meta.dirname, 'onnxruntime-licence.txt'), join(to, 'LICENSE'))
  const { scripts: _, ...manifest }: Manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  // The install script alone uses the other dependencies.
  const { 'onnxruntime-common': common } = manifest.dependencies ?? {}
  const dependencies = common ? { dependencies: { 'onnxruntime-common': common } } : {}
  const { dependencies: _replaced, ...kept } = manifest
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ ...kept, ...dependencies }, null, 2)}\n`)
}
