import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { chunkByTitle } from '../chunk/chunk.ts'
import { CHUNK_DEFAULTS } from '../chunk/settings.ts'
import { partitionHtml } from './html.ts'

/** Text of the last element. */
function last(html: string): string | undefined {
  return partitionHtml({ html, title: 'Page', filename: '1.html', filetype: 'text/html' }).at(-1)?.text
}

describe('a hostile page', () => {
  const deep = 100_000
  for (const [what, html, expected] of [
    ['divs', `${'<div>'.repeat(deep)}deep`, 'deep'],
    ['spans that are closed', `${'<span>'.repeat(deep)}deep${'</span>'.repeat(deep)}`, 'deep'],
    ['tables', `${'<table><tr><td>'.repeat(deep)}deep`, 'deep'],
    ['lists', `${'<ul><li>'.repeat(deep)}deep`, 'deep'],
    ['links across blocks', `${'<a href="/x"><div>'.repeat(deep)}deep`, 'deep'],
    ['forms', `${'<form>'.repeat(deep)}deep`, 'deep'],
    ['drawings', `${'<svg><g>'.repeat(deep)}${'</g></svg>'.repeat(deep)}<p>after`, 'after'],
    ['quotes', `${'<blockquote><p>'.repeat(deep)}deep`, 'deep'],
    ['times', `${'<time>'.repeat(deep)}deep${'</time>'.repeat(deep)}`, 'deep'],
    [
      'closing tags without an opening tag',
      `${'<b>'.repeat(deep)}${'</i></p></td>'.repeat(deep)}deep`,
      'deep',
    ],
    ['unfinished tags', `<p>first</p>${'<'.repeat(deep)}${'<p '.repeat(deep)}`, '<'.repeat(deep)],
    ['unfinished entities', `<p>${'&#'.repeat(deep)}`, '&#'.repeat(deep)],
    ['blanks before code', `<pre>${'\n '.repeat(1_000_000)}deep`, ' deep'],
    ['blanks in a style', `<p style="display${' '.repeat(1_000_000)}">deep`, 'deep'],
  ] as const) {
    test(`it reads 100,000 ${what} to the end`, () => {
      assert.equal(last(html), expected)
    })
  }

  test('it reads 100,000 unknown tag names', () => {
    assert.equal(last(`${Array.from({ length: 100_000 }, (_, i) => `<x${i}>`).join('')}deep`), 'deep')
  })

  test('it reads all of a 20 MB page', () => {
    const paragraph = `<p>${'Words that go on and on, as they do on a page that was pasted in. '.repeat(15)}</p>`
    const count = Math.ceil(20_000_000 / paragraph.length)
    const html = `${paragraph.repeat(count)}<p>The last line of it all.</p>`
    const elements = partitionHtml({ html, title: 'Page', filename: '1.html', filetype: 'text/html' })
    assert.equal(elements.length, count + 2)
    assert.equal(elements.at(-1)?.text, 'The last line of it all.')
  })

  test('it refuses a page that is nested more than a million levels deep', () => {
    assert.throws(() => last('<div>'.repeat(1_000_001)), { code: 'document_broken', message: /levels deep/ })
  })

  test('it refuses a page of half a million fragments', () => {
    for (const html of [
      `<ul>${'<li>a</li>'.repeat(500_001)}</ul>`,
      `<table>${'<tr><td>a'.repeat(500_001)}`,
    ]) {
      assert.throws(
        () => last(html),
        (error) => error instanceof AppError && error.code === 'document_too_large',
      )
    }
  })
})

describe('a page four times as large', () => {
  for (const [what, page] of Object.entries<(count: number) => string>({
    'of nested blocks and stray closing tags': (n) => `${'<div><b>'.repeat(n)}${'</i>'.repeat(n)}`,
    'of nested lists': (n) => '<ul><li>a'.repeat(n),
    'of nested tables': (n) => '<table><tr><td>a'.repeat(n),
    'of nested inline tags': (n) =>
      `${'<b><i><span style="display:block">a'.repeat(n)}${'</span></i></b>'.repeat(n)}`,
    'of tags that are never closed': (n) => '<p><b><a href="/x"><td><li><h2>a'.repeat(n),
    'of nested links': (n) => '<a href="/x">a<div>'.repeat(n),
    'of templates and buttons': (n) => '<template><p></button><button><p>'.repeat(n),
    'of formulae': (n) => `<math>${'<mi>a</mi><annotation encoding="application/x-tex">b'.repeat(n)}`,
    'of drawings': (n) => '<svg><text>a<tspan x="1">b</svg>'.repeat(n),
    'of one long attribute': (n) => `<p class="${' hidden-x'.repeat(n)}" style="${'display : '.repeat(n)}">a`,
    'of many attributes': (n) => `<p ${Array.from({ length: n }, (_, at) => `a${at}="b"`).join(' ')}>a`,
    'of hidden elements': (n) => '<div hidden><div style="font-size: 0;  ">a</div></div>'.repeat(n),
    'of list items': (n) => `<ul>${'<li>a</li>'.repeat(n)}</ul>`,
    'of cells in one row': (n) => `<table><tr>${'<td colspan="1000" rowspan="65534">a'.repeat(n)}</table>`,
    'of rows': (n) => `<table>${'<tr><th rowspan=999>a<td colspan=99999999>b'.repeat(n)}</table>`,
    'of lines of code in a cell': (n) => `<table><tr><td><pre>${'a\n'.repeat(n)}</pre></table>`,
    'of emoji': (n) => '<img class="emoticon" data-emoji-id="1f680">'.repeat(n),
    'of entities and brackets': (n) => '&amp;&#x41<&&lt <!-'.repeat(n),
  })) {
    test(`it takes linear time, ${what}`, () => {
      const [small, large] = [page(2500), page(10_000)]
      const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
      // Garbage collection adds noise, so the best of a few tries counts.
      for (let tries = 0; tries < 6; tries++) {
        best.small = Math.min(best.small, timeOf(small))
        best.large = Math.min(best.large, timeOf(large))
        if (tries > 0 && best.large < Math.max(best.small, 4) * 8) return
      }
      assert.fail(`${best.small.toFixed(1)} ms, then ${best.large.toFixed(1)} ms`)
    })
  }
})

/** CPU time, because other tests run in parallel. */
function timeOf(html: string): number {
  const start = process.cpuUsage()
  const elements = partitionHtml({ html, title: 'Page', filename: '1.html', filetype: 'text/html' })
  chunkByTitle(elements, CHUNK_DEFAULTS)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
