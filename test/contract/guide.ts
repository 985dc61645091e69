import { readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const BLOCK = /^```ts (\S+)\n[\s\S]*?^```$/gm

/** The guide with the code of the files that its blocks name. */
export function guideWithCode(guide: string): string {
  return guide.replace(BLOCK, (_, path: string) => {
    const code = readFileSync(new URL(path, root), 'utf8')
    return `\`\`\`ts ${path}\n${code}\`\`\``
  })
}

export const GUIDE = new URL('docs/connector-contract.md', root)
