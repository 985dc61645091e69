import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStorage } from './reader.ts'

/** The events of a body in one line. */
function eventsOf(storage: string): string {
  const events: string[] = []
  readStorage(storage, {
    open: (name) => events.push(`<${name}>`),
    close: (name) => events.push(`</${name}>`),
    text: (html) => events.push(html),
  })
  return events.join('')
}

const CASES: Record<string, string> = {
  '<p>a<br/>b</p>': '<p>a<br></br>b</p>',
  '<p>a<br>b</p>': '<p>a<br></br>b</p>',
  '<ri:page/>a': '<ri:page></ri:page>a',
  '<P>a</P>': '<p>a</p>',
  '<p>a': '<p>a</p>',
  'a</p>b': 'ab',
  '<b><i>a</b>c</i>': '<b><i>a</i></b>c',
  '<p><ac:link>a</p>b</ac:link>': '<p><ac:link>ab</ac:link></p>',
  '<ac:link><p>a</ac:link>b': '<ac:link><p>a</p></ac:link>b',
  '<ac:parameter>a<p>b</p>': '<ac:parameter>a</ac:parameter><p>b</p>',
  '<ac:parameter><p>a</p></ac:parameter>b': '<ac:parameter><p>a</p></ac:parameter>b',
  '<ac:parameter>a<p>b</p><ac:parameter>c</ac:parameter>':
    '<ac:parameter>a</ac:parameter><p>b</p><ac:parameter>c</ac:parameter>',
  '<ac:macro><ac:parameter>a<p>b</p></ac:macro></ac:parameter>c':
    '<ac:macro><ac:parameter>a</ac:parameter><p>b</p></ac:macro>c',
  '<ac:parameter>a<p>b</p><![CDATA[</ac:parameter>]]>':
    '<ac:parameter>a</ac:parameter><p>b</p>&lt;/ac:parameter&gt;',
  '<ac:parameter><ac:link/>a</ac:parameter>': '<ac:parameter><ac:link></ac:link>a</ac:parameter>',
  '<![CDATA[<p>&]]>': '&lt;p&gt;&amp;',
  '<![CDATA[a<b': 'a&lt;b',
  'a < b': 'a &lt; b',
  'a <3 b> c': 'a &lt;3 b&gt; c',
  'a<!-- b -->c<?d?>e<!f>g': 'aceg',
  '<a href="x>b</a><i>c</i>': ' b  c ',
  '<a href="x>b</a><a href="y">c</a>': '<a>b  c</a>',
}

test('bodies are read as XML, and broken ones keep their text', () => {
  for (const [storage, expected] of Object.entries(CASES)) assert.equal(eventsOf(storage), expected, storage)
})

test('attribute values stay as written, and end at a missing quote', () => {
  const seen: object[] = []
  const handler = {
    open: (_name: string, attributes: object) => seen.push(attributes),
    close() {},
    text() {},
  }
  readStorage(`<a b="x &amp; y" c='"' b="z" D=1><i j="k>l</i><i m="n">`, handler)
  assert.deepEqual(seen[0], { b: 'x &amp; y', c: '"', d: '1' })
  assert.equal((seen[1] as { j: string }).j, 'k')
})
