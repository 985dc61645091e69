import type { SourceFile } from './layers.ts'

/** Words that make a sentence hard to read; docs/glossary.md has better ones. */
export const AVOIDED = /\b(whoever|somebody|nobody|anybody|stands|stood|told|beside|anew|likewise)\b/gi

/** The comments of a file, each as one text. Good enough for formatted code. */
export function commentsOf(text: string): string[] {
  const comments: string[] = []
  let open: string | null = null
  let isBlock = false
  const close = () => {
    const words = open?.replace(/[*/]+/g, ' ').trim()
    if (words && /\w/.test(words)) comments.push(words.replace(/\s+/g, ' '))
    open = null
  }
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (isBlock) {
      open += ` ${line}`
      isBlock = !line.includes('*/')
      if (!isBlock) close()
    } else if (line.startsWith('/*')) {
      close()
      open = line
      isBlock = !line.includes('*/')
      if (!isBlock) close()
    } else if (line.startsWith('//')) {
      open = `${open ?? ''} ${line}`
    } else {
      close()
      open = /(?:^|[\s;,{(])\/\/ ([^'"`]*)$/.exec(raw)?.[1] ?? null
      close()
    }
  }
  close()
  return comments
}

/** String literals and the text between tags: what people read on the page. */
export function textsOf(text: string): string[] {
  return [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"([^"\n]*)"|>([^<>{}]+)</g)].map(
    (match) => match.slice(1).join(''),
  )
}

export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length
}

export function avoidedIn(texts: string[]): string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(AVOIDED)].map((found) => `${found[0]}: ${text.slice(0, 120)}`),
  )
}

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|type|interface|class|enum) (\w+)/gm

/** Names that several files export, each with its files. */
export function duplicateExports(files: SourceFile[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name] of text.matchAll(EXPORTED))
      places.set(name!, (places.get(name!) ?? new Set()).add(path))
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].sort().join(', ')}`)
    .sort()
}
