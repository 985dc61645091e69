import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import type { Element, ElementType } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { chunkByCharacter, chunkByPage, chunkByTitle } from './chunk.ts'
import { chunkElements } from './chunk-elements.ts'
import { CHUNK_DEFAULTS, type TitleSettings } from './settings.ts'
import { similarityStarts } from './similarity.ts'

function element(type: ElementType, text: string, metadata: Partial<Element['metadata']> = {}): Element {
  return {
    type,
    element_id: `${type}${text.slice(0, 20)}`,
    text,
    metadata: { filename: '1.html', filetype: 'text/html', parent_id: 'p', category_depth: 3, ...metadata },
  }
}

function settings(changed: Partial<TitleSettings> = {}): TitleSettings {
  return { ...CHUNK_DEFAULTS, ...changed }
}

const texts = (chunks: Element[]) => chunks.map((chunk) => chunk.text)
const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')

describe('chunks by title', () => {
  test('it starts a chunk at every title', () => {
    const chunks = chunkByTitle(
      [
        element('Title', 'A'),
        element('NarrativeText', 'a1'),
        element('Title', 'B'),
        element('ListItem', 'b1'),
      ],
      settings({ combine_text_under_n_chars: 0 }),
    )
    assert.deepEqual(texts(chunks), ['A\n\na1', 'B\n\nb1'])
    assert.ok(chunks.every((chunk) => chunk.type === 'CompositeElement'))
  })

  test('it joins short sections that fit together', () => {
    const chunks = chunkByTitle(
      [
        element('Title', 'A'),
        element('NarrativeText', 'a'.repeat(40)),
        element('Title', 'B'),
        element('NarrativeText', 'b'.repeat(40)),
        element('Title', 'C'),
        element('NarrativeText', 'c'.repeat(40)),
        element('Title', 'D'),
        element('NarrativeText', 'd'.repeat(90)),
      ],
      settings({ max_characters: 100, new_after_n_chars: 100, combine_text_under_n_chars: 50 }),
    )
    assert.deepEqual(
      texts(chunks).map((text) => text.replace(/(\w)\1+/g, '$1+')),
      ['A\n\na+\n\nB\n\nb+', 'C\n\nc+', 'D\n\nd+'],
    )
  })

  test('it adds no element beyond the soft limit', () => {
    const elements = [50, 40, 5, 5].map((length, index) =>
      element('NarrativeText', String(index).repeat(length)),
    )
    const chunks = chunkByTitle(elements, settings({ new_after_n_chars: 80, combine_text_under_n_chars: 0 }))
    assert.deepEqual(
      texts(chunks).map((text) => text.length),
      [92, 12],
    )
  })

  test('it separates pages unless sections may span them', () => {
    const elements = [1, 2].map((page_number) =>
      element('NarrativeText', `on ${page_number}`, { page_number }),
    )
    assert.equal(chunkByTitle(elements, settings()).length, 2)
    const [chunk] = chunkByTitle(elements, settings({ multipage_sections: true }))
    assert.equal(chunk?.text, 'on 1\n\non 2')
    assert.equal(chunk?.metadata.page_number, 1)
  })
})

describe('chunks by character', () => {
  test('it fills chunks regardless of element types', () => {
    const chunks = chunkByCharacter(
      [element('Title', 'A'), element('NarrativeText', 'a'), element('Title', 'B')],
      settings(),
    )
    assert.deepEqual(texts(chunks), ['A\n\na\n\nB'])
  })

  test('it drops elements without text', () => {
    assert.deepEqual(texts(chunkByCharacter([element('Image', ''), element('Title', 'A')], settings())), [
      'A',
    ])
    assert.deepEqual(chunkByCharacter([element('Image', '')], settings()), [])
  })

  test('it splits long text between words and marks continuations', () => {
    const chunks = chunkByCharacter([element('NarrativeText', words(10))], settings({ max_characters: 13 }))
    assert.deepEqual(texts(chunks), ['word word', 'word word', 'word word', 'word word', 'word word'])
    assert.deepEqual(
      chunks.map((chunk) => chunk.metadata.is_continuation),
      [undefined, true, true, true, true],
    )
  })

  test('it overlaps parts by whole words', () => {
    const text = 'one two three four five six seven eight nine ten'
    const chunks = chunkByCharacter(
      [element('NarrativeText', text)],
      settings({ max_characters: 20, overlap: 9 }),
    )
    assert.deepEqual(texts(chunks), [
      'one two three four',
      'four five six seven',
      'six seven eight nine',
      'nine ten',
    ])
  })

  test('it overlaps unsplit chunks only with overlap_all, within the limit', () => {
    const elements = [element('NarrativeText', 'alpha beta gamma'), element('NarrativeText', 'delta epsilon')]
    const small = { max_characters: 22, new_after_n_chars: 22, overlap: 6 }
    assert.deepEqual(texts(chunkByCharacter(elements, settings(small))), [
      'alpha beta gamma',
      'delta epsilon',
    ])
    assert.deepEqual(texts(chunkByCharacter(elements, settings({ ...small, overlap_all: true }))), [
      'alpha beta gamma',
      'gamma\n\ndelta epsilon',
    ])
  })

  test('it cuts code at line ends and keeps indentation', () => {
    const code = 'if (a) {\n    first()\n    second()\n}'
    const chunks = chunkByCharacter([element('CodeSnippet', code)], settings({ max_characters: 24 }))
    assert.deepEqual(texts(chunks), ['if (a) {\n    first()', '    second()\n}'])
  })

  test('it cuts languages without spaces after sentences, else between words', () => {
    const cut = (text: string, max: number) =>
      texts(chunkByCharacter([element('NarrativeText', text)], settings({ max_characters: max })))
    assert.deepEqual(cut('备份完成之后重新启动。「值班的团队早上会阅读报告。」然后记录', 27), [
      '备份完成之后重新启动。「值班的团队早上会阅读报告。」',
      '然后记录',
    ])
    assert.deepEqual(cut('هل انتهى النسخ الاحتياطي؟ نعم انتهى قبل الفجر', 32), [
      'هل انتهى النسخ الاحتياطي؟',
      'نعم انتهى قبل الفجر',
    ])
    assert.deepEqual(cut('值班 的团队早上会阅读报告并且把问题记录下来', 12), [
      '值班 的团队早上会阅读',
      '报告并且把问题记录下来',
    ])
    assert.deepEqual(cut('กรุณาถามหัวหน้าของคุณก่อนสั่งซื้ออุปกรณ์ใหม่', 28), ['กรุณาถามหัวหน้าของคุณก่อน', 'สั่งซื้ออุปกรณ์ใหม่'])
  })

  test('it never cuts a grapheme', () => {
    const family = '👨‍👩‍👧‍👦'
    const flag = '🇩🇪'
    for (const sign of [family, flag, 'é', 'नि', '한']) {
      const chunks = chunkByCharacter(
        [element('NarrativeText', sign.repeat(40))],
        settings({ max_characters: 25 }),
      )
      for (const text of texts(chunks)) {
        assert.equal(text, sign.repeat(text.length / sign.length))
        assert.ok(text.length <= 25)
      }
      assert.equal(texts(chunks).join(''), sign.repeat(40))
    }
  })

  test('it splits a letter with 100 accents', () => {
    const text = `a${'\u0301'.repeat(100)}`
    const chunks = chunkByCharacter(
      [element('NarrativeText', text)],
      settings({ max_characters: 30, overlap: 29 }),
    )
    assert.ok(texts(chunks).every((part) => part.length <= 30))
    assert.ok(texts(chunks).join('').length >= text.length)
  })

  test('it refuses settings that turn one document into millions of chunks', () => {
    const long = element('NarrativeText', words(510_000, 'a'))
    assert.throws(
      () => chunkByCharacter([long], settings({ max_characters: 2 })),
      (error) => error instanceof AppError && error.code === 'document_too_large',
    )
  })
})

describe('chunks by page', () => {
  test('it starts a chunk at every page, without overlap', () => {
    const pages = [1, 1, 2, 2, 3]
    const chunks = chunkByPage(
      pages.map((page_number, index) => element('NarrativeText', `word${index}`, { page_number })),
      settings({ overlap: 20, overlap_all: true, max_characters: 100, new_after_n_chars: 3 }),
    )
    assert.deepEqual(texts(chunks), ['word0', 'word0\n\nword1', 'word2', 'word2\n\nword3', 'word4'])
    assert.deepEqual(
      chunks.map(({ metadata }) => metadata.page_number),
      [1, 1, 2, 2, 3],
    )
  })
})

describe('chunks by similarity', () => {
  const vectorFor = (topic: number) => [1, topic]
  const embedder = (calls: string[][]) => ({
    embed: async (given: string[]) => {
      calls.push(given)
      return given.map((text) => vectorFor(text.startsWith('cat') ? 0 : 9))
    },
  })
  const { signal } = new AbortController()

  test('it starts a chunk where the subject changes, with one embedding call', async () => {
    const calls: string[][] = []
    const given = ['cats purr', 'cats sleep', 'taxes rise', 'taxes fall', 'cats again']
    const chunks = await chunkBySimilarity(
      given.map((text) => element('NarrativeText', text)),
      { settings: { ...settings(), similarity_threshold: 0.5 }, embedder: embedder(calls) },
      signal,
    )
    assert.deepEqual(texts(chunks), ['cats purr\n\ncats sleep', 'taxes rise\n\ntaxes fall', 'cats again'])
    assert.deepEqual(calls, [given])
  })

  test('it respects the threshold, the limit and tables', async () => {
    const given = [
      element('NarrativeText', 'cats purr'),
      element('NarrativeText', 'taxes rise'),
      element('Table', 'cat dog'),
      element('NarrativeText', 'taxes fall'),
      element('NarrativeText', 'taxes stay'),
    ]
    const chunk = async (changed: { similarity_threshold: number; max_characters?: number }) =>
      texts(
        await chunkBySimilarity(
          given,
          { settings: { ...settings(), ...changed }, embedder: embedder([]) },
          signal,
        ),
      )
    const [a, b, table, c, d] = texts(given)
    assert.deepEqual(await chunk({ similarity_threshold: 0.01 }), [`${a}\n\n${b}`, table, `${c}\n\n${d}`])
    assert.deepEqual(await chunk({ similarity_threshold: 0.99 }), [a, b, table, `${c}\n\n${d}`])
    assert.deepEqual(await chunk({ similarity_threshold: 0.01, max_characters: 12 }), texts(given))
  })
})

describe('tables', () => {
  const row = (n: number) => ({
    text: `Row ${n} says ${n}`,
    html: `<tr><td>Row ${n}</td><td>says ${n}</td></tr>`,
  })
  const rows = Array.from({ length: 6 }, (_, index) => row(index))
  const head = '<thead><tr><th>Name</th><th>Value</th></tr></thead>'
  const table = element('Table', ['Name Value', ...rows.map((r) => r.text)].join('\n'), {
    text_as_html: `<table>${head}<tbody>${rows.map((r) => r.html).join('')}</tbody></table>`,
  })

  test('it keeps a table that fits in one chunk of its own', () => {
    const chunks = chunkByTitle([element('Title', 'A'), table, element('NarrativeText', 'b')], settings())
    assert.deepEqual(
      chunks.map((chunk) => chunk.type),
      ['CompositeElement', 'Table', 'CompositeElement'],
    )
    assert.equal(chunks[1]?.text, table.text)
    assert.equal(chunks[1]?.metadata.text_as_html, table.metadata.text_as_html)
  })

  test('it splits a long table between rows and repeats the header', () => {
    const chunks = chunkByTitle([table], settings({ max_characters: 45 }))
    assert.deepEqual(texts(chunks), [
      'Name Value\nRow 0 says 0\nRow 1 says 1',
      'Name Value\nRow 2 says 2\nRow 3 says 3',
      'Name Value\nRow 4 says 4\nRow 5 says 5',
    ])
    assert.equal(
      chunks[1]?.metadata.text_as_html,
      `<table>${head}<tbody>${row(2).html}${row(3).html}</tbody></table>`,
    )
    assert.deepEqual(
      chunks.map((chunk) => [chunk.type, chunk.metadata.is_continuation ?? false]),
      [
        ['TableChunk', false],
        ['TableChunk', true],
        ['TableChunk', true],
      ],
    )
  })

  test('it does not repeat a header with excessive markup', () => {
    const header = `<tr><th>Name</th>${'<th></th>'.repeat(10_000)}</tr>`
    const rows = Array.from({ length: 500 }, (_, index) => `row ${index}`)
    const body = rows.map((row) => `<tr><td>${row}</td></tr>`).join('')
    const html = `<table><thead>${header}</thead><tbody>${body}</tbody></table>`
    const chunks = chunkByTitle(
      [element('Table', ['Name', ...rows].join('\n'), { text_as_html: html })],
      settings({ max_characters: 100 }),
    )
    assert.ok(chunks.length > 30)
    const length = chunks.reduce((sum, { metadata }) => sum + (metadata.text_as_html?.length ?? 0), 0)
    assert.ok(length < html.length * 2, `${length} of ${html.length}`)
  })

  test('it cuts an overlong row and escapes its text', () => {
    const long = element('Table', `H\n${words(8, 'a<b')}`, {
      text_as_html: `<table><thead><tr><th>H</th></tr></thead><tbody><tr><td>${words(8, 'a&lt;b')}</td></tr></tbody></table>`,
    })
    const chunks = chunkByTitle([long], settings({ max_characters: 20 }))
    assert.deepEqual(texts(chunks), ['H\na<b a<b a<b a<b', 'H\na<b a<b a<b a<b'])
    assert.match(chunks[0]?.metadata.text_as_html ?? '', /<td>a&lt;b a&lt;b a&lt;b a&lt;b<\/td>/)
  })
})

describe('tables with cells over several rows', () => {
  test('it repeats spanning cells at the start of a part', () => {
    const rows = [
      '<tr><td rowspan="4">Team</td><td>one</td><td rowspan="2">x</td></tr>',
      '<tr><td>two</td></tr>',
      '<tr><td colspan="2">three</td></tr>',
      '<tr><td>four</td><td>y</td></tr>',
      '<tr><td>Other</td><td>five</td><td>z</td></tr>',
    ]
    const html = `<table><thead><tr><th>A</th><th>B</th><th>C</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
    const table = element('Table', 'A B C\nTeam one x\ntwo\nthree\nfour y\nOther five z', {
      text_as_html: html,
    })
    const parts = chunkByCharacter([table], settings({ max_characters: 18 }))
    assert.deepEqual(texts(parts), [
      'A B C\nTeam one x',
      'A B C\ntwo\nthree',
      'A B C\nfour y',
      'A B C\nOther five z',
    ])
    assert.deepEqual(
      parts.map(({ metadata }) => /<tbody>(.*)<\/tbody>/.exec(metadata.text_as_html ?? '')?.[1]),
      [
        rows[0],
        `<tr><td rowspan="3">Team</td><td>two</td><td>x</td></tr>${rows[2]}`,
        '<tr><td>Team</td><td>four</td><td>y</td></tr>',
        rows[4],
      ],
    )
  })

  test('it takes linear time with thousands of spanning cells', () => {
    const sizeOf = (count: number) => {
      const row = `<tr>${'<td rowspan="1000">a</td>'.repeat(10)}</tr>`
      const html = `<table><tbody>${row.repeat(count)}</tbody></table>`
      const text = Array.from({ length: count }, () => 'a a a a a a a a a a').join('\n')
      const parts = chunkByCharacter(
        [element('Table', text, { text_as_html: html })],
        settings({ max_characters: 40 }),
      )
      return parts.reduce((sum, { metadata }) => sum + (metadata.text_as_html?.length ?? 0), 0)
    }
    assert.ok(sizeOf(2000) < sizeOf(1000) * 2.2)
  })
})

describe('pictures', () => {
  const picture = (alt: string, more: Partial<Element['metadata']> = {}) =>
    element('Image', alt, { image_base64: 'QUFB', image_mime_type: 'image/png', ...more })

  for (const chunk of [chunkByTitle, chunkByCharacter]) {
    test(`it keeps each picture alone, with data and text (${chunk.name})`, () => {
      const chunks = chunk(
        [element('Title', 'A'), picture('a cat'), picture(''), element('NarrativeText', 'b')],
        settings({ overlap: 5, overlap_all: true }),
      )
      assert.deepEqual(
        chunks.map(({ type, text, metadata }) => [
          type,
          text,
          metadata.image_base64,
          metadata.image_mime_type,
        ]),
        [
          ['CompositeElement', 'A', undefined, undefined],
          ['Image', 'a cat', 'QUFB', 'image/png'],
          ['Image', '', 'QUFB', 'image/png'],
          ['CompositeElement', 'b', undefined, undefined],
        ],
      )
      assert.equal(new Set(chunks.map((made) => made.element_id)).size, 4)
    })
  }

  test('it treats a picture without data as text', () => {
    const named = element('Image', 'a cat', { image_url: 'https://wiki.example/cat.png' })
    assert.deepEqual(texts(chunkByTitle([element('Title', 'A'), named], settings())), ['A\n\na cat'])
  })

  test('it stores picture data once, even with long text and orig_elements', () => {
    const chunks = chunkByTitle(
      [picture(words(20))],
      settings({ max_characters: 50, include_orig_elements: true }),
    )
    assert.deepEqual(
      chunks.map(({ type, metadata }) => [type, metadata.image_base64, metadata.is_continuation]),
      [
        ['Image', 'QUFB', undefined],
        ['Image', undefined, true],
      ],
    )
    for (const { metadata } of chunks) {
      const [origin] = JSON.parse(inflateSync(Buffer.from(metadata.orig_elements ?? '', 'base64')).toString())
      assert.equal(origin.text, words(20))
      assert.equal(origin.metadata.image_mime_type, 'image/png')
      assert.equal('image_base64' in origin.metadata, false)
    }
  })
})

describe('metadata of a chunk', () => {
  test('it keeps shared fields and drops those of one element', () => {
    const [chunk] = chunkByTitle(
      [
        element('Title', 'A', { languages: ['eng'], partitioner_type: 'fast' }),
        element('ListItem', 'a', { languages: ['eng'], link_urls: ['https://a/'], link_texts: ['a'] }),
        element('ListItem', 'b', { languages: ['deu'], link_urls: ['https://b/'], link_texts: ['b'] }),
      ],
      settings(),
    )
    assert.deepEqual(chunk?.metadata, {
      filename: '1.html',
      filetype: 'text/html',
      languages: ['eng', 'deu'],
      partitioner_type: 'fast',
      link_urls: ['https://a/', 'https://b/'],
      link_texts: ['a', 'b'],
    })
  })

  test('it keeps the sheet name and the email fields', () => {
    const email = { subject: 'Water', sent_from: ['ida'], sent_to: ['kay', 'ann'], cc_recipient: ['bo'] }
    const metadataOf = (...all: Element[]) => chunkByCharacter(all, settings())[0]?.metadata
    const merged = metadataOf(
      element('Title', 'a', email),
      element('NarrativeText', 'b', structuredClone(email)),
    )
    assert.partialDeepStrictEqual(merged, email)
    assert.equal(metadataOf(element('Table', 'a', { page_name: 'Grain' }))?.page_name, 'Grain')
    const mixed = metadataOf(
      element('Title', 'a', { page_name: 'A' }),
      element('Title', 'b', { page_name: 'B' }),
    )
    assert.equal(mixed && 'page_name' in mixed, false)
  })

  test('it packs the original elements only on request', () => {
    const elements = [element('Title', 'A'), element('NarrativeText', words(30))]
    assert.equal(chunkByTitle(elements, settings())[0]?.metadata.orig_elements, undefined)
    const chunks = chunkByTitle(elements, settings({ include_orig_elements: true, max_characters: 50 }))
    const unpacked = chunks.map((chunk) =>
      JSON.parse(inflateSync(Buffer.from(chunk.metadata.orig_elements ?? '', 'base64')).toString()),
    )
    assert.deepEqual(unpacked[0], [elements[0]])
    assert.ok(unpacked.slice(1).every((origin) => JSON.stringify(origin) === JSON.stringify([elements[1]])))
  })

  test('it assigns each link to the part that contains it', () => {
    const [first, second] = chunkByTitle(
      [
        element('NarrativeText', 'see here and then also see there', {
          link_urls: ['https://1/', 'https://2/'],
          link_texts: ['here', 'there'],
        }),
      ],
      settings({ max_characters: 18 }),
    )
    assert.deepEqual(first?.metadata.link_urls, ['https://1/'])
    assert.deepEqual(second?.metadata.link_urls, ['https://2/'])
  })

  test('it gives chunks unique ids that depend on their content', () => {
    const elements = [element('NarrativeText', words(100))]
    const chunks = chunkByTitle(elements, settings({ max_characters: 50 }))
    assert.equal(new Set(chunks.map((chunk) => chunk.element_id)).size, chunks.length)
    assert.deepEqual(chunks, chunkByTitle(elements, settings({ max_characters: 50 })))
  })

  test('it keeps a 20 MB paragraph full of links small', () => {
    const text = words(4_000_000)
    const link_urls = Array.from({ length: 1000 }, (_, index) => `https://example.com/${index}`)
    const paragraph = element('NarrativeText', text, { link_urls, link_texts: link_urls.map(() => 'word') })
    const chunks = chunkByTitle([paragraph], settings({ include_orig_elements: true }))
    const size = chunks.reduce((sum, chunk) => sum + JSON.stringify(chunk.metadata).length, 0)
    assert.equal(chunks.length, 20_000)
    assert.ok(size < 20_000_000)
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
