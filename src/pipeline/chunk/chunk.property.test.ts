import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import type { Element, ElementType } from '../../document.ts'
import { chunkByCharacter, chunkByPage, chunkByTitle } from './chunk.ts'
import { chunkElements } from './chunk-elements.ts'
import type { TitleSettings } from './settings.ts'
import { similarityStarts } from './similarity.ts'
import { splitText } from './split-text.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        ' ',
        '\n',
        '  ',
        '\u3000',
        '👨‍👩‍👧‍👦',
        '🇩🇪🇫🇷',
        'a\u0301',
        ' \u0301',
        '漢字仮名',
        'word',
        '\r\n',
        '\u200d',
        '\u0600 ',
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join('').toWellFormed())

const elements = fc.array(
  fc
    .tuple(
      fc.constantFrom<ElementType>('Title', 'NarrativeText', 'ListItem', 'CodeSnippet', 'Table', 'Image'),
      text,
      fc.constantFrom(1, 1, 2, undefined),
    )
    .map(
      ([type, content, page]): Element => ({
        type,
        element_id: 'x',
        text: content,
        metadata: {
          filename: '1.html',
          filetype: 'text/html',
          ...(page === undefined ? {} : { page_number: page }),
          ...(type === 'Image' ? { image_base64: 'QUFB', image_mime_type: 'image/png' } : {}),
        },
      }),
    ),
  { maxLength: 12 },
)

const settings = fc
  .record({
    max_characters: fc.integer({ min: 2, max: 120 }),
    new_after_n_chars: fc.integer({ min: 0, max: 120 }),
    overlap: fc.integer({ min: 0, max: 119 }),
    combine_text_under_n_chars: fc.integer({ min: 0, max: 120 }),
    overlap_all: fc.boolean(),
    include_orig_elements: fc.boolean(),
    multipage_sections: fc.boolean(),
  })
  .map(
    (drawn): TitleSettings => ({
      ...drawn,
      overlap: Math.min(drawn.overlap, drawn.max_characters - 1),
      new_after_n_chars: Math.min(drawn.new_after_n_chars, drawn.max_characters),
    }),
  )

const visible = (content: string) => content.replace(/\s/g, '')

describe('for any text and settings', () => {
  for (const chunk of [chunkByTitle, chunkByCharacter, chunkByPage]) {
    test(`it reproduces the text, apart from overlap (${chunk.name})`, () => {
      fc.assert(
        fc.property(elements, settings, (given, drawn) => {
          const chunks = chunk(given, { ...drawn, overlap: 0 })
          const before = given.map((element) => visible(element.text)).join('')
          assert.equal(chunks.map((result) => visible(result.text)).join(''), before)
        }),
        { numRuns: 300 },
      )
    })

    test(`it exceeds no limit, cuts no surrogate pair and makes no empty chunk (${chunk.name})`, () => {
      fc.assert(
        fc.property(elements, settings, (given, drawn) => {
          for (const result of chunk(given, drawn)) {
            assert.ok(result.text.length <= drawn.max_characters)
            assert.ok(result.text.isWellFormed())
            assert.ok(['CompositeElement', 'Table', 'TableChunk', 'Image'].includes(result.type))
          }
        }),
        { numRuns: 300 },
      )
    })

    test(`it keeps each picture once, in order (${chunk.name})`, () => {
      fc.assert(
        fc.property(elements, settings, (given, drawn) => {
          const pictures = (list: Element[]) =>
            list.filter((each) => each.metadata.image_base64 !== undefined)
          assert.equal(pictures(chunk(given, drawn)).length, pictures(given).length)
        }),
        { numRuns: 300 },
      )
    })
  }

  test('it never mixes pages when chunking by page', () => {
    fc.assert(
      fc.property(elements, settings, (given, drawn) => {
        const marked = given.map((element) => ({
          ...element,
          text: element.text.replace(/\S/g, String(element.metadata.page_number ?? 0)),
        }))
        for (const result of chunkByPage(marked, drawn)) {
          const page = String(result.metadata.page_number ?? 0)
          assert.match(result.text, new RegExp(`^[\\s${page}]*$`))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('it joins only similar neighbours when chunking by similarity', async () => {
    await fc.assert(
      fc.asyncProperty(elements, settings, async (given, drawn) => {
        // A vector on a quarter circle per text, so that cosines are known.
        const angle = (content: string) => (content.length % 7) * 0.2
        const embedder = {
          embed: async (texts: string[]) =>
            texts.map((each) => [Math.cos(angle(each)), Math.sin(angle(each))]),
        }
        const near = { settings: { ...drawn, overlap: 0, similarity_threshold: 0.9 }, embedder }
        const { signal } = new AbortController()
        const chunks = await chunkBySimilarity(given, near, signal)
        assert.equal(
          chunks.map((result) => visible(result.text)).join(''),
          given.map((element) => visible(element.text)).join(''),
        )
        for (const result of chunks) assert.ok(result.text.length <= drawn.max_characters)
        for (const { metadata } of await chunkBySimilarity(
          given,
          { ...near, settings: { ...near.settings, include_orig_elements: true } },
          signal,
        )) {
          const origin = inflateSync(Buffer.from(metadata.orig_elements ?? '', 'base64')).toString()
          const texts = (JSON.parse(origin) as Element[]).map((element) => element.text)
          for (const [index, each] of texts.entries()) {
            if (index > 0) assert.ok(Math.cos(angle(each) - angle(texts[index - 1]!)) >= 0.9 - 1e-9)
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  test('it cuts only between graphemes that fit', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 30, max: 80 }),
        fc.integer({ min: 0, max: 29 }),
        (whole, max, overlap) => {
          const clusters = [...graphemes.segment(whole)]
          fc.pre(clusters.every(({ segment }) => segment.length < max))
          const starts = new Set([...clusters.map(({ index }) => index), whole.length])
          for (const { from, to } of splitText(whole, max, overlap)) {
            assert.ok(starts.has(from), `${JSON.stringify(whole)} cut at ${from}`)
            assert.ok(starts.has(to), `${JSON.stringify(whole)} cut at ${to}`)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('it overlaps only with the text directly before', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (whole, max) => {
        const overlap = Math.floor(max / 3)
        for (const piece of splitText(whole, max, overlap)) {
          const end = whole.slice(0, piece.to).trimEnd()
          assert.ok(end.endsWith(piece.text))
          assert.ok(
            end.length - piece.text.length >=
              piece.from - overlap - (piece.from - whole.slice(0, piece.from).trimEnd().length),
          )
        }
      }),
      { numRuns: 300 },
    )
  })
})

type SimilarityInput = Parameters<typeof similarityStarts>[1]

async function chunkBySimilarity(
  elements: Element[],
  input: SimilarityInput,
  signal: AbortSignal,
): Promise<Element[]> {
  const starts = await similarityStarts(elements, input, signal)
  return chunkElements(elements, { settings: { subtype: 'chunk_by_similarity', ...input.settings }, starts })
}
