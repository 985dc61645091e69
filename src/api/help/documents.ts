import { glob, readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { marked } from 'marked'

/** The root of the project, or of the package, which has the same folders. */
const ROOT = join(import.meta.dirname, '../../..')

/** A page of the documentation. `path` is from the root, such as `docs/keys.md`. */
export type HelpDocument = { path: string; title: string; text: string; sections: Section[] }
/** The part of a document below one heading; the first has the anchor ''. */
export type Section = { heading: string; anchor: string; text: string; lowerText: string }
/** Documents and other files by their address below `/help`, such as `keys` and `page/lab.png`. */
export type Help = { documents: Map<string, HelpDocument>; files: Map<string, string> }

/** Reads all documents; without the folder there are none. */
export async function readHelp(root = ROOT): Promise<Help> {
  const documents = new Map<string, HelpDocument>()
  const files = new Map<string, string>()
  for await (const found of glob(['docs/**/*.{md,png,svg,json,sql}', 'README.md'], { cwd: root })) {
    const path = found.replaceAll('\\', '/')
    if (path.endsWith('.md')) {
      const text = await readFile(join(root, path), 'utf8')
      documents.set(helpAddressOf(path), { path, text, ...partsOf(text) })
    } else files.set(helpAddressOf(path), join(root, path))
  }
  return { documents, files }
}

/** Below `/help`: the list of all documents is the empty address. */
export function helpAddressOf(path: string): string {
  if (path === 'docs/README.md') return ''
  if (path === 'README.md') return 'about'
  return path.replace(/^docs\//, '').replace(/\.md$/, '')
}

/** The address of a link in a document, or null if the service does not serve its target. */
export function addressOfLink({ documents, files }: Help, from: string, link: string): string | null {
  const path = posix.normalize(posix.join(dirname(from), link))
  if (path !== 'README.md' && !path.startsWith('docs/')) return null
  const address = helpAddressOf(path)
  return documents.has(address) || files.has(address) ? address : null
}

/** Makes the anchors of one document, as the usual renderers do. */
export function anchorMaker(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    const anchor = plain.replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

function partsOf(text: string): { title: string; sections: Section[] } {
  const anchor = anchorMaker()
  const sections = [{ heading: '', anchor: '', text: '' }]
  let title = ''
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading') {
      const heading = plainText(token.text)
      const id = anchor(heading)
      if (token.depth === 1) title = heading
      else sections.push({ heading, anchor: id, text: '' })
    } else sections.at(-1)!.text += ` ${plainText(token.raw)}`
  }
  return { title, sections: sections.map((each) => ({ ...each, lowerText: each.text.toLowerCase() })) }
}

/** The text of Markdown without its signs. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/[[\]`*|!]|-{3,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
