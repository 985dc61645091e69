import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import postcss from 'postcss'
import type { Plugin } from 'vite'

const MANTINE_CSS = createRequire(import.meta.url).resolve('@mantine/core/styles.layer.css')

/**
 * One style sheet for the page: its own rules and those of the Mantine components in use, about 20 of 37 KB. Finds
 * them by Mantine's hashed class names in the code.
 */
export function mantineCss(): Plugin {
  let combined: { fileName: string; source: string; ownFile: string } | undefined
  return {
    name: 'mantine-css',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {} }) {
        const files = Object.values(bundle)
        const own = files.find((file) => file.type === 'asset' && /style-[^/]*\.css$/.test(file.fileName))
        if (own?.type !== 'asset') throw new Error('the style sheet of the page is not in the build')
        const code = files.map((file) => (file.type === 'chunk' ? file.code : ''))
        const mantine = rulesFor(await readFile(MANTINE_CSS, 'utf8'), code.join('\n'))
        const source = `${mantine}\n${own.source}`
        const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
        combined = { fileName: `assets/page-${hash}.css`, source, ownFile: own.fileName }
        return html.replace(own.fileName, combined.fileName)
      },
    },
    generateBundle: {
      // After Vite has written index.html.
      order: 'post',
      handler(_options, bundle) {
        if (!combined) return
        const { fileName, source, ownFile } = combined
        this.emitFile({ type: 'asset', fileName, source })
        delete bundle[ownFile]
      },
    },
  }
}

const HASHED_CLASS = /\bm_[0-9a-f]{6,8}\b/g

/** Removes selectors of unused classes, and white space. */
export function rulesFor(css: string, code: string): string {
  const used = new Set(code.match(HASHED_CLASS))
  const root = postcss.parse(css)
  root.walkComments((comment) => {
    comment.remove()
  })
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((each) =>
      (each.match(HASHED_CLASS) ?? []).every((name) => used.has(name)),
    )
    if (kept.length === 0) rule.remove()
    else rule.selectors = kept
  })
  return root
    .toString()
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/: /g, ':')
}
