import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { SourceFile } from './layers.ts'
import { avoidedIn, commentsOf, duplicateExports, textsOf, wordCount } from './words.ts'

const root = new URL('..', import.meta.url)
const read = (...patterns: string[]): SourceFile[] =>
  globSync(patterns, { cwd: root })
    .filter((path) => !path.includes('node_modules') && !path.includes('/dist/'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
const isTest = ({ path }: SourceFile) => /\.test\.tsx?$/.test(path)

/** A quotation of a vendor's message may need such a word. */
const MAX_AVOIDED = 5
const MEAN_WORDS = 12

describe('words', () => {
  const src = read('src/**/*.ts').filter((file) => !isTest(file))
  const web = read('web/src/**/*.{ts,tsx}').filter((file) => !isTest(file))
  const supporting = read('{test,bench,demo,packages}/**/*.ts')
  const product = [...src, ...web]

  test('it finds no avoided words in comments', () => {
    assert.ok(product.length > 500, 'the files were found')
    const found = [...product, ...supporting].flatMap(({ text }) => avoidedIn(commentsOf(text)))
    assert.ok(found.length <= MAX_AVOIDED, found.join('\n'))
  })

  test('it finds that comments are short', () => {
    const comments = product.flatMap(({ text }) => commentsOf(text))
    const mean = comments.reduce((sum, text) => sum + wordCount(text), 0) / comments.length
    assert.ok(mean <= MEAN_WORDS, `the mean is ${mean.toFixed(1)} words`)
  })

  test('it finds no avoided words in texts, messages and documents', () => {
    // Model prompts stay as they are: cached answers belong to their exact text.
    const texts = product
      .filter(({ path }) => !path.startsWith('src/pipeline/enrich/'))
      .flatMap(({ text }) => textsOf(text))
    const documents = read('*.md', 'docs/*.md', 'docs/connectors/*.md').flatMap(({ text }) =>
      text.split('\n'),
    )
    const found = avoidedIn([...texts, ...documents])
    assert.ok(found.length <= MAX_AVOIDED, found.join('\n'))
  })

  test('it finds one meaning per exported name', () => {
    const isMigration = ({ path }: SourceFile) => path.startsWith('src/store/migrations/')
    assert.deepEqual(duplicateExports(src.filter((file) => !isMigration(file))), [])
    // Translations export the same names.
    const isTranslation = ({ path }: SourceFile) => path.startsWith('web/src/texts/de/')
    assert.deepEqual(duplicateExports(web.filter((file) => !isTranslation(file))), [])
  })

  test('it counts words, comments and duplicates', () => {
    const text = `/** Whoever asks\n * is told. */\nconst a = 'nobody' // beside it\n// one\n// two\n`
    assert.deepEqual(commentsOf(text), ['Whoever asks is told.', 'beside it', 'one two'])
    assert.equal(avoidedIn(commentsOf(text)).length, 3)
    assert.equal(avoidedIn(textsOf(text)).length, 1)
    const twice = ['a.ts', 'b.ts'].map((path) => ({ path, text: 'export type Place = string' }))
    assert.deepEqual(duplicateExports(twice), ['Place: a.ts, b.ts'])
  })
})
