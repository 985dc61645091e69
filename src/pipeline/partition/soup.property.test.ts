import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { partitionHtml } from './html.ts'
import { tableRows } from './table.ts'

const names =
  'p div h1 h2 ul ol li dl dd table thead tbody tr td th caption pre b span a time svg script blockquote x'
const tag = fc.constantFrom(...names.split(' '))
const soup = fc
  .array(
    fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom(
        '<br>',
        '<hr/>',
        '<img alt="pic">',
        '<a href="/x">',
        '<td colspan=2>',
        '<!-- x -->',
        '<',
        '&amp;',
        '&',
      ),
      fc.constantFrom(
        '<p hidden>',
        '<div class="toc-macro">',
        '<span class="status-macro">',
        '\u0000',
        '\ud83d',
        '\n',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 80 },
  )
  .map((parts) => `<p>${parts.join('')}</p> some more words of a page`)

describe('any mix of tags', () => {
  test('it becomes valid elements with existing parents', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const elements = partitionHtml({ html, title: 'Page', filename: '1.html', filetype: 'text/html' })
        const ids = new Set(elements.map((element) => element.element_id))
        assert.equal(ids.size, elements.length)
        for (const { type, text, metadata } of elements) {
          assert.ok(text.isWellFormed())
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the test asserts that there are none.
          assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f]/)
          if (type !== 'CodeSnippet') assert.equal(text, text.trim())
          if (metadata.parent_id) assert.ok(ids.has(metadata.parent_id))
          if (type !== 'Table') continue
          const rows = tableRows(metadata.text_as_html ?? '')
          assert.equal(rows.header.length + rows.body.length, text.split('\n').length)
        }
      }),
      { numRuns: 500 },
    )
  })
})
