import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const documents = globSync(['*.md', 'docs/**/*.md', 'web/*.md', 'packages/*/*.md', 'test/world/wiki/*.md'], {
  cwd: root,
}).filter((path) => path !== 'CHANGELOG.md' && !path.includes('node_modules'))

/** Paths from the root, without those with a placeholder or pattern. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./-])(?:src|web\/src|test|bench|demo|docs)\/[\w./{}<>*…-]*\w\/?/g)]
    .map(([path]) => path)
    .filter((path) => !/[{}<>*…]/.test(path))

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, link]) => link ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))

describe('documents', () => {
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8')

    test(`it finds every path that ${document} names`, () => {
      assert.deepEqual(
        pathsIn(text).filter((path) => !existsSync(join(root, path))),
        [],
      )
    })

    test(`it finds every file that ${document} links to`, () => {
      assert.deepEqual(
        linksIn(text).filter((link) => !existsSync(join(root, dirname(document), link))),
        [],
      )
    })
  }

  test('it finds paths and links', () => {
    assert.ok(documents.length > 20)
    assert.deepEqual(pathsIn('`src/a/b.ts`, src/c/ and src/<noun>/*.'), ['src/a/b.ts', 'src/c/'])
    assert.deepEqual(linksIn('[a](b.md#c) [d](https://e.example)'), ['b.md'])
  })
})
