import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
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
    ['ends without a beginning', `${'<b>'.repeat(deep)}${'</i></p></td>'.repeat(deep)}deep`, 'deep'],
    ['tags that end nowhere', `<p>first</p>${'<'.repeat(deep)}${'<p '.repeat(deep)}`, '<'.repeat(deep)],
    ['entities that end nowhere', `<p>${'&#'.repeat(deep)}`, '&#'.repeat(deep)],
    ['blanks before code', `<pre>${'\n '.repeat(1_000_000)}deep`, ' deep'],
    ['blanks in a style', `<p style="display${' '.repeat(1_000_000)}">deep`, 'deep'],
  ] as const) {
    test(`it reads 100,000 ${what} to the end`, () => {
      assert.equal(last(html), expected)
    })
  }

  test('it reads 100,000 names that no browser knows', () => {
    assert.equal(last(`${Array.from({ length: 100_000 }, (_, i) => `<x${i}>`).join('')}deep`), 'deep')
  })

  test('it takes four times as long for four times as much, not sixteen times', () => {
    const time = (count: number) => {
      const html = `${'<div><b>'.repeat(count)}${'</i>'.repeat(count)}deep`
      // Time on the processor, since other tests run beside this one.
      const start = process.cpuUsage()
      assert.equal(last(html), 'deep')
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }
    const best = (count: number) => Math.min(time(count), time(count))
    const once = best(20_000)
    assert.ok(best(80_000) < Math.max(once, 5) * 12)
  })

  test('it reads a page of 30 MB whole', () => {
    const paragraph = `<p>${'Words that go on and on, as they do on a page that was pasted in. '.repeat(15)}</p>`
    const count = Math.ceil(30_000_000 / paragraph.length)
    const html = `${paragraph.repeat(count)}<p>The last line of it all.</p>`
    const elements = partitionHtml({ html, title: 'Page', filename: '1.html', filetype: 'text/html' })
    assert.equal(elements.length, count + 2)
    assert.equal(elements.at(-1)?.text, 'The last line of it all.')
  })

  test('it refuses a page of half a million scraps instead of filling the memory', () => {
    for (const html of ['<p>a'.repeat(500_001), `<table>${'<tr><td>a'.repeat(500_001)}`]) {
      assert.throws(
        () => last(html),
        (error) => error instanceof AppError && error.code === 'document_too_large',
      )
    }
  })
})
