import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { markdownHtml } from './markdown.ts'

const CASES: Record<string, string> = {
  '': '',
  ' \n\n ': '',
  'one\ntwo\n\nthree': '<p>one\ntwo</p><p>three</p>',
  '# Big **one** #\ntext': '<h1>Big one</h1><p>text</p>',
  '####### seven': '<p>####### seven</p>',
  '#hash': '<p>#hash</p>',
  'Title\n===\nPart\n---\n\n---\n* * *': '<h1>Title</h1><h2>Part</h2>',
  '- a\n- [x] b\n  - c\n1. d\n2) e\nmore':
    '<ul><li>a</li><li>☑ b</li><li>c</li></ul><ol start="1"><li>d</li><li>e\nmore</li></ol>',
  '3. a\n\n3. b\n\ntext\n\n7) [ ] c\n- d':
    '<ol start="3"><li>a</li><li>b</li></ol><p>text</p><ol start="7"><li>☐ c</li></ol><ul><li>d</li></ul>',
  '> quoted\n> > twice': '<p>quoted\ntwice</p>',
  '```js\n# a **b** &amp; <i>\n```\nend': '<pre><code># a **b** &amp;amp; &lt;i&gt;</code></pre><p>end</p>',
  '~~~\n```\nopen': '<pre><code>```\nopen</code></pre>',
  '| a | b |\n|---|:-:|\n| c | d |':
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
  '**big** __too__ *a* _b_ ***c*** ~~d~~ **two\nlines**': '<p>big too a b c d two\nlines</p>',
  'a * b * c, 2*3*4, snake_case_name, **open, **** end':
    '<p>a * b * c, 2*3*4, snake_case_name, **open, **** end</p>',
  '`a **b** <c>` ``d ` e`` `open': '<p>a **b** &lt;c&gt; d ` e `open</p>',
  '[a *b*](https://x.example/?a="1) ![cat](c.png)':
    '<p><a href="https://x.example/?a=&quot;1">a b</a> cat</p>',
  '[a](no url) [b][c] [d](e': '<p>[a](no url) [b][c] [d](e</p>',
  'a < b <br> List<Item> &copy; \\*kept\\* c:\\dir':
    '<p>a &lt; b <br> List&lt;Item&gt; &copy; *kept* c:\\dir</p>',
  'a\r\n\r\nb': '<p>a</p><p>b</p>',
}

test('markdown becomes the text that a reader sees', () => {
  for (const [markdown, expected] of Object.entries(CASES))
    assert.equal(markdownHtml(markdown), expected === '' ? '' : `<div>${expected}</div>`, markdown)
})

/** No time is measured: a non-linear reader exceeds the limit of the test. */
test('long markdown is read in linear time, whatever is repeated', () => {
  const parts = [
    '**',
    '_a*',
    '*a',
    '**a',
    '`',
    '[',
    '![',
    '](',
    '[a](',
    '[a](b)',
    '<',
    '<br',
    '\\',
    '> ',
    '- ',
    '| ',
  ]
  const lines = ['#\n', '- \n', '```\n', '|\n', 'a\n', '===\n', '> '.repeat(50)]
  for (const part of [...parts, ...lines]) {
    for (const length of [90_000, 500_000]) {
      const markdown = part.repeat(length / part.length)
      assert.match(markdownHtml(`start ${markdown} **end**`), /start.*end/s, part)
    }
  }
  const runs = Array.from({ length: 2000 }, (_, at) => `${'`'.repeat(at)} `).join('')
  assert.match(markdownHtml(`${runs} end`), /end/)
})

test('every word of markdown is kept, whatever marks surround it', () => {
  // Separate, because text after ``` in a line is not shown.
  const marks = [
    '*',
    '**',
    '_',
    '__',
    ' ~~',
    ' `',
    ' ``',
    '[',
    ']',
    '[a](b)',
    '<',
    '>',
    '<br>',
    '|',
    '\\',
    '&',
    '#',
    '!',
  ]
  const lines = [
    '\n',
    '\n\n',
    '\n```\n',
    '\n~~~\n',
    '\n# ',
    '\n- ',
    '\n1. ',
    '\n> ',
    '\n| ',
    '\n---\n',
    '\n===\n',
    ' ',
  ]
  const piece = fc.constantFrom('WORD', ...marks, ...lines)
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40, size: 'max' }), (pieces) => {
      const words: string[] = []
      const markdown = pieces.map((each, at) => {
        if (each !== 'WORD') return each
        words.push(`w${at}z`)
        return `w${at}z`
      })
      const html = markdownHtml(markdown.join(''))
      for (const each of words) assert.ok(html.includes(each), `${each} is lost: ${markdown.join('')}`)
    }),
    { numRuns: 2000 },
  )
})
