import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { publish } from './publish.ts'
import { LANGUAGES } from './src/service/languages.ts'

/** Builds the page in every language into web/dist. With --if-possible, skips where Vite is not installed, as `npm ci` may. */
const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !process.argv.includes('--if-possible')) throw error
  console.log('skipping the build of the web page: the development packages are not installed')
})
if (vite) {
  const dist = join(import.meta.dirname, 'dist')
  await mkdir(dist, { recursive: true })
  // Inside dist: on the same disk, and ignored by git and the linter.
  const buildDirectory = await mkdtemp(join(dist, '.build-'))
  try {
    const { pageIn } = await import('./vite.config.ts')
    await Promise.all(
      LANGUAGES.map(async (name) => {
        const outDir = join(buildDirectory, name)
        const config = pageIn(name)
        await vite.build({
          ...config,
          configFile: false,
          logLevel: 'warn',
          build: { ...config.build, outDir },
        })
        await rename(join(outDir, 'index.html'), join(outDir, `index.${name}.html`))
        await compress(join(outDir, 'assets'))
        await publish(outDir, dist)
      }),
    )
  } finally {
    await rm(buildDirectory, { recursive: true, force: true })
  }
}

/** Compresses scripts and styles at the highest level; fonts are already compressed. */
async function compress(directory: string): Promise<void> {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  for (const name of await readdir(directory)) {
    if (!/\.(js|css)$/.test(name)) continue
    const text = await readFile(join(directory, name))
    await writeFile(join(directory, `${name}.br`), await promisify(brotliCompress)(text, options))
    await writeFile(join(directory, `${name}.gz`), await promisify(gzip)(text, { level: 9 }))
  }
}
