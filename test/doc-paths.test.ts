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

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Links to headings and to `<a id="…">`, with the page that has them. */
const anchorsIn = (document: string): [page: string, anchor: string][] =>
  [...read(document).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].map(([, page, anchor = '']) => [
    page ? join(dirname(document), page) : document,
    anchor,
  ])

/** As the usual renderers make them of headings. */
const hasAnchor = (text: string, anchor: string): boolean =>
  text.includes(`<a id="${anchor}">`) ||
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].some(
    ([, heading = '']) => slug(heading) === anchor,
  )

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

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

  for (const document of documents)
    test(`it finds every heading that ${document} links to`, () => {
      const missing = anchorsIn(document).filter(
        ([page, anchor]) => page.endsWith('.md') && !hasAnchor(read(page), anchor),
      )
      assert.deepEqual(missing, [])
    })

  test('it finds every document in docs/README.md', () => {
    const listed = linksIn(read('docs/README.md')).map((link) => join('docs', link))
    const pages = documents.filter((path) => /^docs\/(?!decisions|README)/.test(path))
    assert.deepEqual(
      pages.filter((path) => !listed.includes(path)),
      [],
    )
  })

  test('CONTRIBUTING.md explains every script once', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const explained = [...read('CONTRIBUTING.md').matchAll(/^\| (`npm .*?`) \|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`npm (?:run )?([\w:-]+)/g)])
      .map(([, name = '']) => name)
      .filter((name) => name !== 'ci')
    assert.deepEqual(explained.sort(), Object.keys(scripts).sort())
  })

  test('README.md has 750 words at most', () => {
    assert.ok(read('README.md').split(/\s+/).length <= 750)
  })

  test('it finds paths and links', () => {
    assert.equal(slug('`POST /a`, and “b” (c)'), 'post-a-and-b-c')
    assert.ok(documents.length > 20)
    assert.deepEqual(pathsIn('`src/a/b.ts`, src/c/ and src/<noun>/*.'), ['src/a/b.ts', 'src/c/'])
    assert.deepEqual(linksIn('[a](b.md#c) [d](https://e.example)'), ['b.md'])
  })
})
