import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import postcss from 'postcss'
import type { Plugin } from 'vite'

const FULL = createRequire(import.meta.url).resolve('@mantine/core/styles.layer.css')

/**
 * One style sheet with the rules of the Mantine components in use: about 20 of 37 KB. Finds them by Mantine's
 * hashed class names in the code.
 */
export function mantineCss(): Plugin {
  return {
    name: 'mantine-css',
    apply: 'build',
    enforce: 'pre',
    async generateBundle(_options, bundle) {
      const code = Object.values(bundle).map((file) => (file.type === 'chunk' ? file.code : ''))
      const source = rulesFor(await readFile(FULL, 'utf8'), code.join('\n'))
      this.emitFile({ type: 'asset', name: 'mantine.css', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => /mantine-[^/]*\.css$/.test(name))
        if (!file) throw new Error('the style sheet of Mantine is not in the build')
        return [{ tag: 'link', attrs: { rel: 'stylesheet', href: `/${file}` }, injectTo: 'head' }]
      },
    },
  }
}

const HASHED = /\bm_[0-9a-f]{6,8}\b/g

/** Drops selectors of unused classes, and white space. */
export function rulesFor(css: string, code: string): string {
  const used = new Set(code.match(HASHED))
  const root = postcss.parse(css)
  root.walkComments((comment) => {
    comment.remove()
  })
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((each) => (each.match(HASHED) ?? []).every((name) => used.has(name)))
    if (kept.length === 0) rule.remove()
    else rule.selectors = kept
  })
  return root
    .toString()
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/: /g, ':')
}
