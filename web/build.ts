import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * Builds the page into web/dist. `npm ci` calls it with --if-possible: an installation without development packages
 * has no builder, and its service says itself that there is no page.
 */
const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !process.argv.includes('--if-possible')) throw error
  console.log('the web page is not built: the development packages were left out')
})
if (vite) {
  await vite.build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
  await compress(join(import.meta.dirname, 'dist/assets'))
}

/** Once here, at the highest level, rather than with every request; fonts are compressed already. */
async function compress(directory: string): Promise<void> {
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  for (const name of await readdir(directory)) {
    if (!/\.(js|css)$/.test(name)) continue
    const text = await readFile(join(directory, name))
    await writeFile(join(directory, `${name}.br`), await promisify(brotliCompress)(text, best))
    await writeFile(join(directory, `${name}.gz`), await promisify(gzip)(text, { level: 9 }))
  }
}
