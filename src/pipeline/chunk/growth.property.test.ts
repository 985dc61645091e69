import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import type { Element } from '../../document.ts'
import { type PipelineNode, parseNodes, plan } from '../nodes.ts'
import { runnerOf } from '../runner.ts'

const { signal } = new AbortController()

const fragments = fc.array(
  fc.constantFrom(
    ...[
      'a',
      'word ',
      '\n',
      ' ',
      'long'.repeat(30),
      '漢字',
      '\u3000',
      'a\u0301',
      '👨‍👩‍👧‍👦',
      '\u200d',
      '\r\n',
      'x\n\ny ',
    ],
  ),
  { minLength: 1, maxLength: 12 },
)
const texts = fc
  .tuple(fragments, fc.constantFrom(1, 1, 3, 50, 3000))
  .map(([parts, times]) => parts.join('').repeat(times).slice(0, 4000))

const element = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom('Title', 'NarrativeText', 'ListItem', 'Table', 'Image'), text, fc.nat(3))
    .map(([type, text, page]) => {
      const picture = type === 'Image' ? { image_base64: 'QUFB', image_mime_type: 'image/png' } : {}
      const rows = text.split('\n').map((row, index) => `<tr><t${index ? 'd' : 'h'}>${row}</tr>`)
      const html = type === 'Table' ? { text_as_html: `<table>${rows.join('')}</table>` } : {}
      const metadata = { filename: '1.html', filetype: 'text/html', page_number: page, ...picture, ...html }
      return { type, element_id: 'x', text, metadata } as Element
    })

/** A few long elements, then many short ones, which overlap with them. */
const elements = fc
  .tuple(
    fc.array(element(texts), { minLength: 1, maxLength: 6 }),
    fc.array(element(fc.constantFrom('a', 'b c')), { maxLength: 100 }),
  )
  .map((lists) => lists.flat())

const settings = fc
  .record({
    subtype: fc.constantFrom('chunk_by_title', 'chunk_by_character', 'chunk_by_page', 'chunk_by_similarity'),
    max: fc.oneof(fc.integer({ min: 2, max: 50 }), fc.integer({ min: 2, max: 1_000_000 })),
    shares: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    newAfter: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 })),
    flags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    threshold: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  })
  .map(({ subtype, max, shares, newAfter, flags, threshold }) => {
    const title = {
      combine_text_under_n_chars: Math.floor(max * shares[0]),
      multipage_sections: flags[2],
    }
    const ofSubtype =
      subtype === 'chunk_by_title'
        ? title
        : subtype === 'chunk_by_similarity'
          ? { similarity_threshold: threshold }
          : {}
    const common = {
      max_characters: max,
      overlap: Math.floor((max - 1) * shares[1]),
      new_after_n_chars: newAfter,
    }
    const settings = { ...common, overlap_all: flags[0], include_orig_elements: flags[1], ...ofSubtype }
    return [{ type: 'partition' }, { type: 'chunk', subtype, settings }]
  })

const similarityEmbedder = {
  dims: 2,
  embed: async (given: string[]) => given.map((text) => [1, text.length % 3]),
}

/** Characters that were searched for graphemes, which takes almost all of the time. */
async function countWork(work: () => Promise<Element[]>): Promise<{ chunks: Element[]; segmented: number }> {
  let segmented = 0
  const original = Intl.Segmenter.prototype.segment
  const spy = mock.method(Intl.Segmenter.prototype, 'segment', function (this: Intl.Segmenter, text: string) {
    segmented += text.length
    return original.call(this, text)
  })
  try {
    return { chunks: await work(), segmented }
  } finally {
    spy.mock.restore()
  }
}

/** Null if the overlap is too long. */
function parsed(nodes: object[]): PipelineNode[] | null {
  try {
    return parseNodes(nodes)
  } catch (error) {
    assert.match(String(error), /three quarters/)
    return null
  }
}

const lengthOf = (list: Element[]) => list.reduce((sum, { text }) => sum + text.length, 0)

test('it makes chunks of at most four times the text in linear time, for all accepted settings', async () => {
  await fc.assert(
    fc.asyncProperty(elements, settings, async (given, nodes) => {
      const accepted = parsed(nodes)
      if (!accepted) return
      const runner = runnerOf(plan(accepted), null, { similarityEmbedder })
      const { chunks, segmented } = await countWork(
        async () => (await runner.chunk({ elements: given, warnings: [] }, signal)).elements,
      )
      const length = lengthOf(given)
      assert.ok(lengthOf(chunks) <= 4 * length, `${lengthOf(chunks)} characters of ${length}`)
      assert.ok(chunks.length <= length + given.length, `${chunks.length} chunks of ${length} characters`)
      assert.ok(segmented <= 1000 * (length + 1), `${segmented} characters searched of ${length}`)
    }),
    { numRuns: 150 },
  )
})

for (const settings of [
  { max_characters: 100_000, overlap: 99_999 },
  { max_characters: 100, overlap: 76 },
])
  test(`it refuses an overlap of ${settings.overlap} in ${settings.max_characters} characters`, () => {
    assert.throws(() => parseNodes([{ type: 'partition' }, { type: 'chunk', settings }]), {
      code: 'invalid_request',
      message: /overlap has to be less than max_characters \(\d+\), at most three quarters of it/,
    })
  })

test('it accepts what clients send', () => {
  for (const settings of [
    { max_characters: 2048, new_after_n_chars: 1500, overlap: 160, combine_text_under_n_chars: 0 },
    { max_characters: 500, new_after_n_chars: 50, overlap: 30 },
    { max_characters: 100, overlap: 75, overlap_all: true },
    { max_characters: 2, overlap: 1 },
  ])
    parseNodes([{ type: 'partition' }, { type: 'chunk', settings }])
})
