import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { markedText, piecesOf } from './highlight.ts'

describe('a highlighted fragment', () => {
  test('becomes text with marked matches', () => {
    assert.deepEqual(piecesOf('<mark>water</mark> for &lt;everyone&gt; &amp; <em>all</em>'), [
      { text: 'water', marked: true },
      { text: ' for <everyone> & ', marked: false },
      { text: 'all', marked: true },
    ])
  })

  test('keeps all other markup as text', () => {
    const hostile = '<img src=x onerror=alert(1)> <mark>a</mark><script>b</script> &lt;mark&gt;c&lt;/mark&gt;'
    assert.deepEqual(piecesOf(hostile), [
      { text: '<img src=x onerror=alert(1)> ', marked: false },
      { text: 'a', marked: true },
      { text: '<script>b</script> <mark>c</mark>', marked: false },
    ])
  })

  test('is unescaped only once', () => {
    assert.deepEqual(piecesOf('&amp;lt;b&amp;gt; &#x27;&quot;&#x2F;'), [
      { text: `&lt;b&gt; '"/`, marked: false },
    ])
  })

  test('it marks its words in the whole text, as text', () => {
    assert.deepEqual(markedText('a.b or aXb <i>', ['see <mark>a.b</mark>']), [
      { text: 'a.b', marked: true },
      { text: ' or aXb <i>', marked: false },
    ])
    assert.deepEqual(markedText('plain', []), [{ text: 'plain', marked: false }])
  })
})
