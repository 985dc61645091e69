import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as tags from './image-tags.ts'
import { type ImageTag, replaceImages } from './image-tags.ts'

const imagesIn = (html: string) => tags.imagesIn(html, 1_000_000).tags

const attributesIn = (html: string) => imagesIn(html).map(({ attributes }) => ({ ...attributes }))
const written = (html: string) => imagesIn(html).map(({ start, end }) => html.slice(start, end))

describe('the images of a page', () => {
  test('are found with their place and their attributes, in every way of writing them', () => {
    const tags = [
      '<img src="a.png">',
      "<img src='a.png' />",
      '<img src=a.png>',
      '<IMG SRC="a.png" ALT=x>',
      '<img\n  src = "a.png"\n>',
      '<image src="a.png">',
    ]
    for (const tag of tags) {
      const html = `<p>before</p>${tag}<p>after</p>`
      assert.deepEqual(written(html), [tag])
      assert.equal(attributesIn(html)[0]?.src, 'a.png', tag)
    }
  })

  test('have the characters that entities stand for', () => {
    const [image] = attributesIn('<img src="/a?x=1&amp;y=2" alt="&quot;Q&#38;A&quot; &lt;b&gt;&#x1F600;">')
    assert.deepEqual(image, { src: '/a?x=1&y=2', alt: '"Q&A" <b>😀' })
  })

  test('keep the first of an attribute that is given twice, as browsers do', () => {
    assert.deepEqual(attributesIn('<img src="first" SRC="second">'), [{ src: 'first' }])
  })

  test('do not take over anything from the tags around them', () => {
    const html = '<a href="x" title="y"><img alt="z"></a><p class="q"><img></p>'
    assert.deepEqual(attributesIn(html), [{ alt: 'z' }, {}])
  })

  test('are none inside comments and scripts, in other tags, or where a tag never ends', () => {
    const htmls = [
      '<!-- <img src="a"> -->',
      '<script>"<img src=a>"</script>',
      '<style>/* <img src=a> */</style>',
      '<imgx src="a">',
      '<p title="<img src=a>">',
      '&lt;img src="a"&gt;',
      '<img src="a',
    ]
    for (const html of htmls) assert.deepEqual(attributesIn(html), [], html)
  })

  test('are found up to a number, and the others are counted', () => {
    const html = '<img src="a"><p><img src="b"/></p><IMG src="c">'
    const { tags: found, more } = tags.imagesIn(html, 2)
    assert.deepEqual(
      found.map(({ attributes }) => attributes.src),
      ['a', 'b'],
    )
    assert.equal(more, 1)
    assert.equal(tags.imagesIn(html, 3).more, 0)
  })

  test('are found in a page of a million brackets within a second', () => {
    const html = `${'<img '.repeat(200_000)}${'<'.repeat(500_000)}`
    const started = performance.now()
    imagesIn(html)
    assert.ok(performance.now() - started < 1_000)
  })
})

describe('a page with images written anew', () => {
  const withSources = (html: string, sourceOf: (tag: ImageTag, at: number) => string | null) =>
    replaceImages(
      html,
      new Map(
        imagesIn(html).flatMap((tag, at): [ImageTag, string][] => {
          const source = sourceOf(tag, at)
          return source === null ? [] : [[tag, source]]
        }),
      ),
    )

  test('has other sources and the same text, attributes and order', () => {
    const html = '<p>1</p><img alt="a &quot;b&quot; &amp; c" src="x">2<img src="y" data-id="7"/>3'
    const changed = withSources(html, (_, at) => `data:${at}`)
    assert.deepEqual(attributesIn(changed), [
      { alt: 'a "b" & c', src: 'data:0' },
      { src: 'data:1', 'data-id': '7' },
    ])
    assert.equal(changed.replace(/<img[^>]*>/g, '#'), '<p>1</p>#2#3')
  })

  test('is letter for letter the same where nothing was replaced', () => {
    const html = "<P>1<IMG  SRC='x'/>&nbsp;2<img src=y>"
    assert.equal(
      withSources(html, () => null),
      html,
    )
    const half = withSources(html, (_, at) => (at === 1 ? 'z' : null))
    assert.ok(half.startsWith("<P>1<IMG  SRC='x'/>&nbsp;2"))
  })

  test('gets no new tag or attribute out of what an author wrote into an old one', () => {
    const html = `<img alt='"><script>alert(1)</script>' on"click=x src="x" a/b=c>`
    const changed = withSources(html, () => 'data:,')
    assert.equal(imagesIn(changed).length, 1)
    assert.doesNotMatch(changed.replace(/"[^"]*"/g, '""'), /script|on"|click/)
    assert.equal(attributesIn(changed)[0]?.alt, '"><script>alert(1)</script>')
  })

  test('keeps everything else, whatever the page looks like', () => {
    const piece = fc.constantFrom(
      '<img src="a">',
      '<img alt=">" src=b />',
      '<p>',
      'text',
      '<',
      '>',
      '"',
      "'",
      '&amp;',
      '<!--',
      '-->',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const html = pieces.join('')
        const tags = imagesIn(html)
        const changed = withSources(html, () => 'NEW')
        const rest = (text: string, of: ImageTag[]) =>
          of.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text)
        assert.equal(rest(changed, imagesIn(changed)), rest(html, tags))
        assert.equal(imagesIn(changed).length, tags.length)
      }),
    )
  })
})
