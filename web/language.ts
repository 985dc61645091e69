import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const TEXTS = join(import.meta.dirname, 'src/texts')

/** Reads `texts/de/NAME.ts` where the page imports `texts/NAME.ts`. Files in `texts/de` import what they name. */
export function language(name: string): Plugin {
  return {
    name: 'language',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (dirname(join(dirname(importer), source)) !== TEXTS || dirname(importer) === join(TEXTS, name))
        return
      const translated = join(TEXTS, name, basename(source))
      return existsSync(translated) ? translated : undefined
    },
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        const path = join(TEXTS, name === 'en' ? '' : name, 'language.ts')
        const { LOCALE, languageTexts }: typeof import('./src/texts/language.ts') = await import(path)
        return html.replace('%LOCALE%', LOCALE).replace('%NO_SCRIPT%', languageTexts.noScript)
      },
    },
  }
}
