import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'

type Chunk = { file: string; css?: string[]; imports?: string[] }

const dist = new URL('../web/dist/', import.meta.url)
const LIMIT = 250 * 1024

/** Weight of the first screen: scripts and styles of the entry, the frame and the screen. */
describe('the web page', () => {
  before(() => assert.ok(existsSync(new URL('index.html', dist)), 'it is not built: npm run build:web'))

  const shell = ['src/shell/shell.tsx', 'src/shell/workspace.tsx']
  for (const [screen, parts] of Object.entries({
    'sign-in': ['src/pages/sign-in/sign-in-page.tsx'],
    start: [...shell, 'src/pages/home/home-page.tsx'],
  })) {
    test(`it shows ${screen} after less than 250 KB`, () => {
      const files = filesOf(['index.html', ...parts])
      assert.ok(files.length > 3, files.join(', '))
      const weight = files.reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0)
      assert.ok(weight < LIMIT, `${Math.round(weight / 1024)} KB: ${files.join(', ')}`)
    })
  }

  test('it uses no other host and nothing inline', () => {
    const html = readFileSync(new URL('index.html', dist), 'utf8')
    assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/)
  })
})

/** Includes everything that is loaded with it; index.html links Mantine's style sheet outside the graph. */
function filesOf(names: string[]): string[] {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Record<
    string,
    Chunk
  >
  const files = new Set(
    Object.values(manifest).flatMap(({ file }) => (/mantine-.*\.css$/.test(file) ? [file] : [])),
  )
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const chunk = manifest[name]
    assert.ok(chunk, `${name} is not in the build`)
    if (files.has(chunk.file)) continue
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    open.push(...(chunk.imports ?? []))
  }
  return [...files]
}
