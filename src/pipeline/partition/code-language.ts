import type { Attributes } from './markup.ts'
import { cellHtml } from './table.ts'

/** The language a code block names: as a highlighter's "brush", or as a class such as `language-java`. */
export function codeLanguage(attributes: Attributes): string | undefined {
  const markup = `${attributes['data-syntaxhighlighter-params'] ?? ''};${attributes.class ?? ''}`
  const declared =
    /brush:\s*([^\s;]+)/.exec(markup.slice(0, MAX_MARKUP_LENGTH))?.[1] ??
    attributes['data-language'] ??
    /(?:^|[\s;])(?:language|lang|code)-([^\s;]+)/.exec(markup.slice(0, MAX_MARKUP_LENGTH))?.[1]
  const language = declared?.trim().toLowerCase()
  if (language === undefined || NO_LANGUAGE.has(language)) return undefined
  return /^[a-z0-9][a-z0-9+#._-]{0,29}$/.test(language) ? language : undefined
}

export function codeHtml(text: string, language: string): string {
  return `<pre><code class="language-${language}">${cellHtml(text).replaceAll('<br/>', '\n')}</code></pre>`
}

const MAX_MARKUP_LENGTH = 2000
const NO_LANGUAGE = new Set(['', 'none', 'plain', 'plaintext', 'text', 'block'])
