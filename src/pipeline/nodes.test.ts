import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { nodesSchema, nodeWarnings, parseNodes, plan, settingsHash } from './nodes.ts'

const partition = { name: 'P', type: 'partition', subtype: 'auto' }
const chunk = { name: 'C', type: 'chunk', subtype: 'chunk_by_title' }
const embed = { name: 'E', type: 'embed', subtype: 'local' }

function rejection(input: unknown): AppError {
  try {
    parseNodes(input)
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'invalid_request')
    return error
  }
  assert.fail(`accepted ${JSON.stringify(input)}`)
}

test('it masks the key of a provider in node settings', () => {
  const withKey = {
    ...chunk,
    settings: { unstructured_api_key: 'canary-of-a-provider', max_characters: 500 },
  }
  const nodes = parseNodes([partition, withKey])
  assert.ok(!JSON.stringify(nodes).includes('canary'))
  assert.deepEqual(nodes[1]?.settings, { unstructured_api_key: '**********', max_characters: 500 })
  assert.deepEqual(parseNodes(nodes)[1]?.settings, nodes[1]?.settings)
})

describe('nodes', () => {
  test('it returns the default nodes if none are given', () => {
    for (const none of [undefined, null, [], '']) {
      const nodes = parseNodes(none)
      assert.deepEqual(
        nodes.map(({ type, subtype }) => [type, subtype]),
        [
          ['partition', 'auto'],
          ['chunk', 'chunk_by_title'],
          ['embed', 'local'],
        ],
      )
      assert.ok(nodesSchema.safeParse(nodes).success)
    }
    assert.deepEqual(plan(parseNodes(null)), {
      partition: { strategy: 'auto', exclude_elements: [], ocr_languages: ['eng'] },
      chunk: {
        subtype: 'chunk_by_title',
        max_characters: 1000,
        new_after_n_chars: 800,
        overlap: 0,
        overlap_all: false,
        include_orig_elements: false,
        combine_text_under_n_chars: 300,
        multipage_sections: false,
      },
      embed: { subtype: 'local', model: 'all-minilm-l6-v2' },
    })
  })

  test('it fills in the defaults of each chunker', () => {
    const chunkOf = (subtype: string, settings = {}) =>
      plan(parseNodes([partition, { ...chunk, subtype, settings }])).chunk
    const common = {
      max_characters: 1000,
      new_after_n_chars: 800,
      overlap: 0,
      overlap_all: false,
      include_orig_elements: false,
    }
    for (const subtype of ['chunk_by_character', 'chunk_by_page']) {
      assert.deepEqual(chunkOf(subtype), { subtype, ...common })
    }
    const subtype = 'chunk_by_similarity'
    assert.deepEqual(chunkOf(subtype), { subtype, ...common, similarity_threshold: 0.5 })
    assert.deepEqual(chunkOf(subtype, { similarity_threshold: 0.99, max_characters: 500 }), {
      ...{ subtype, ...common, similarity_threshold: 0.99 },
      ...{ max_characters: 500, new_after_n_chars: 500 },
    })
    for (const wrong of [0, 0.005, 1, -0.5, '0.5']) {
      const nodes = [partition, { ...chunk, subtype, settings: { similarity_threshold: wrong } }]
      assert.match(rejection(nodes).message, /similarity_threshold: /)
    }
  })

  test('it keeps ids, names and settings, and fills in missing ones', () => {
    const id = '0b1c7a3e-5d1f-4a53-9c0b-6d1f3b0a7001'
    const settings = { max_characters: 500, overlap: null, unstructured_api_url: '' }
    const [first, second] = parseNodes([
      { type: 'partition', id },
      { ...chunk, settings },
    ])
    assert.deepEqual(first, { id, name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} })
    assert.deepEqual(second?.settings, settings)
    assert.match(second?.id ?? '', /^[0-9a-f-]{36}$/)
  })

  test('it maps the subtypes of other clients to strategies', () => {
    const strategyOf = (node: object) => plan(parseNodes([{ name: 'P', ...node }])).partition.strategy
    assert.equal(
      strategyOf({ type: 'partition', subtype: 'vlm', settings: { is_dynamic: true, allow_fast: true } }),
      'auto',
    )
    assert.equal(strategyOf({ type: 'vlm', subtype: 'partition', settings: { is_dynamic: true } }), 'auto')
    for (const strategy of ['auto', 'fast', 'hi_res']) {
      const settings = {
        strategy,
        include_page_breaks: false,
        ocr_languages: ['eng'],
        exclude_elements: null,
      }
      assert.equal(strategyOf({ type: 'partition', subtype: 'unstructured_api', settings }), strategy)
      assert.equal(strategyOf({ type: 'partition', subtype: strategy }), strategy)
    }
  })

  test('it plans no chunks and no vectors without their nodes', () => {
    assert.equal(plan(parseNodes([partition])).chunk, null)
    assert.equal(plan(parseNodes([partition, chunk])).embed, null)
  })

  test('it accepts the longer name of the local model', () => {
    const settings = { model_name: 'sentence-transformers/all-MiniLM-L6-v2' }
    assert.equal(
      plan(parseNodes([partition, chunk, { ...embed, settings }])).embed?.model,
      'all-minilm-l6-v2',
    )
  })
})

describe('invalid nodes', () => {
  test('it names languages whose data is not installed', () => {
    const parseWith = (languages: string[]) =>
      parseNodes([{ name: 'P', type: 'partition', subtype: 'auto', settings: { ocr_languages: languages } }])
    assert.equal(plan(parseWith(['eng'])).partition.ocr_languages[0], 'eng')
    assert.throws(
      () => parseWith(['eng', 'tlh', '../x']),
      /OCR has no data for "tlh", "..\/x"; install @tesseract\.js-data\/tlh/,
    )
  })

  for (const [what, nodes, message] of [
    ['no partition first', [chunk], /node 1 \("C"\): the first node has to be a partition/],
    ['two partitions', [partition, partition], /node 2 \("P"\): there can be only one partition/],
    [
      'a vector without a chunk',
      [partition, embed],
      /node 2 \("E"\): an embed node needs a chunk node before/,
    ],
    [
      'a chunk after the vector',
      [partition, chunk, embed, chunk],
      /node 4 \("C"\): there can be only one chunk/,
    ],
    [
      'the wrong order',
      [partition, embed, chunk],
      /node 3 \("C"\): a chunk node has to come before the embed/,
    ],
    ['no list', { nodes: [] }, /has to be a list/],
    ['no objects', [partition, 'chunk'], /node 2 has to be an object/],
    ['an unknown type', [{ name: 'X', type: 'partion' }], /did you mean "partition"/],
    ['no type', [{ name: 'X' }], /type is missing; it is one of partition/],
    ['an inherited name', [{ name: 'X', type: 'constructor' }], /is not known/],
    ['an unknown subtype', [partition, { ...chunk, subtype: 'by_title' }], /"by_title" is not known/],
    ['an unknown key', [{ ...partition, setings: {} }], /unknown setting "setings"; did you mean "settings"/],
    [
      'an enrichment',
      [partition, { name: 'N', type: 'prompter', subtype: 'openai_ner' }],
      /the enrichment openai_ner needs a configured model endpoint; the service operator sets MILLRACE_OPENAI_API_KEY/,
    ],
    ['a vision model', [{ ...partition, subtype: 'vlm' }], /needs a configured model endpoint/],
    [
      'a provider',
      [partition, chunk, { ...embed, subtype: 'bedrock' }],
      /the embedder bedrock needs a configured/,
    ],
    [
      'another model',
      [partition, chunk, { ...embed, settings: { model_name: 'gpt' } }],
      /model_name "gpt" is not known; it is one of all-minilm/,
    ],
    ['a bad id', [{ ...partition, id: 'x' }], /id has to be a UUID/],
  ] as const) {
    test(`it refuses ${what}`, () => assert.match(rejection(nodes).message, message))
  }

  for (const [what, settings, message] of [
    [
      'an unknown setting',
      { max_character: 5 },
      /unknown setting "max_character"; did you mean "max_characters"/,
    ],
    ['a wrong type', { max_characters: '500' }, /max_characters: .*expected number, received string/],
    ['a fraction', { overlap: 1.5 }, /overlap: .*int/],
    ['a negative number', { new_after_n_chars: -1 }, /new_after_n_chars: /],
    ['no characters at all', { max_characters: 0 }, /max_characters: /],
    [
      'an overlap as long as the chunk',
      { max_characters: 100, overlap: 100 },
      /overlap has to be less than max_characters \(100\)/,
    ],
    ['combining beyond the limit', { combine_text_under_n_chars: 1001 }, /at most max_characters \(1000\)/],
    ['context by a model', { contextual_chunking_strategy: 'v1' }, /needs a configured model endpoint/],
    ['a setting of the prototype', { constructor: 1 }, /unknown setting "constructor"/],
  ] as const) {
    test(`it refuses ${what}`, () => {
      const error = rejection([partition, { ...chunk, settings }])
      assert.match(error.message, message)
      assert.deepEqual(error.fields?.[0]?.loc.slice(0, 4), ['body', 'workflow_nodes', 1, 'settings'])
    })
  }

  test('it names all invalid nodes', () => {
    const error = rejection([
      { ...partition, settings: { encoding: 8 } },
      { ...chunk, settings: { overlap: 'a' } },
    ])
    assert.deepEqual(
      error.fields?.map(({ loc }) => loc.slice(2)),
      [
        [0, 'settings', 'encoding'],
        [1, 'settings', 'overlap'],
      ],
    )
  })

  test('it refuses two nodes with one id', () => {
    const id = '0b1c7a3e-5d1f-4a53-9c0b-6d1f3b0a7001'
    assert.match(
      rejection([
        { ...partition, id },
        { ...chunk, id },
      ]).message,
      /another node has the same id/,
    )
  })
})

describe('nodes of providers', () => {
  const configured = { openai: { model: 'a-model' }, bedrock: { model: 'nova' }, cohere: { model: '' } }
  const parsed = (...nodes: object[]) => parseNodes(nodes, { configured })
  const messageOf = (...nodes: object[]) => {
    try {
      parsed(...nodes)
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'invalid_request')
      return error.message
    }
    return 'accepted'
  }
  const openai = (settings: object) => ({ name: 'E', type: 'embed', subtype: 'openai', settings })

  test('it plans the model and dimension of a provider', () => {
    const planOf = (settings: object) => plan(parsed(partition, chunk, openai(settings))).embed
    const small = { subtype: 'openai', model: 'text-embedding-3-small' }
    assert.deepEqual(planOf({}), small)
    assert.deepEqual(planOf({ model_name: 'text-embedding-3-small', dimensions: 1536 }), small)
    assert.deepEqual(planOf({ dimensions: 256 }), { ...small, dimensions: 256 })
    assert.deepEqual(planOf({ model_name: 'own', dimensions: 640 }), {
      subtype: 'openai',
      model: 'own',
      dimensions: 640,
    })
    const hashes = [{}, { dimensions: 256 }, { model_name: 'bge-m3' }].map((settings) =>
      settingsHash(parsed(partition, chunk, openai(settings))),
    )
    assert.equal(new Set([...hashes, settingsHash(parseNodes(null))]).size, 4)
  })

  test('it explains why a provider cannot be used', () => {
    const embedWith = (subtype: string, settings = {}) =>
      messageOf(partition, chunk, { name: 'E', type: 'embed', subtype, settings })
    assert.match(embedWith('voyageai'), /the service operator sets MILLRACE_VOYAGE_API_KEY/)
    assert.match(embedWith('ibm'), /ibm is not available/)
    assert.match(
      embedWith('openai', { model_name: 'own' }),
      /known models are text-embedding-3-small.*for any other, set dimensions/,
    )
    assert.match(embedWith('cohere', { model_name: 'own', dimensions: 5 }), /known models are embed-v4.0/)
    assert.match(
      embedWith('openai', { model_name: 'text-embedding-ada-002', dimensions: 5 }),
      /supports 1536/,
    )
    assert.match(embedWith('openai', { dimensions: 1537 }), /at most 1536/)
    assert.match(embedWith('openai', { dimensions: 5000 }), /dimensions: .*4096/)
    assert.match(
      messageOf(partition, { name: 'N', type: 'prompter', subtype: 'vertexai_ner' }),
      /vertexai is not/,
    )
    assert.match(
      messageOf(partition, { name: 'N', type: 'prompter', subtype: 'anthropic_ner' }),
      /MILLRACE_ANTHROPIC/,
    )
    assert.match(
      messageOf(partition, { name: 'N', type: 'prompter', subtype: 'openai_nerd' }),
      /did you mean "openai_ner"/,
    )
    assert.match(
      messageOf({ ...partition, subtype: 'vlm', settings: { provider: 'anthropic' } }),
      /MILLRACE_ANTHROPIC_API_KEY/,
    )
    assert.match(
      messageOf({ ...partition, subtype: 'vlm', settings: { provider: 'vertexai' } }),
      /choose one of anthropic/,
    )
  })

  test('it stores the default model in the node, and plans with it', () => {
    const prompter = { name: 'N', type: 'prompter', subtype: 'openai_ner' }
    const tables = { name: 'T', type: 'prompter', subtype: 'twopass_table2html' }
    const contextual = { ...chunk, settings: { contextual_chunking_strategy: 'v1' } }
    const nodes = parsed({ ...partition, subtype: 'vlm' }, prompter, tables, contextual)
    assert.equal(nodes[1]?.settings.model, 'a-model')
    const ref = { provider: 'openai', model: 'a-model' }
    const planned = plan(nodes)
    assert.deepEqual(planned.partition, {
      strategy: 'vlm',
      exclude_elements: [],
      ocr_languages: ['eng'],
      model: ref,
    })
    assert.deepEqual(planned.enrich, [
      { kind: 'ner', ...ref },
      { kind: 'table2html', ...ref },
    ])
    assert.deepEqual(planned.context, ref)
    // A new default does not change stored nodes.
    const later = parseNodes(nodes, { configured: { openai: { model: 'newer' }, anthropic: { model: 'x' } } })
    assert.deepEqual(plan(later), planned)
  })

  test('it chooses a provider for a table node that names none', () => {
    const tables = (settings: object) => ({
      name: 'T',
      type: 'prompter',
      subtype: 'twopass_table2html',
      settings,
    })
    for (const settings of [{ model: 'x' }, { model: 'x', provider_type: 'auto' }]) {
      const nodes = parsed(partition, tables(settings))
      assert.deepEqual(nodes[1]?.settings, { provider_type: 'openai', model: 'x' })
      assert.deepEqual(plan(nodes).enrich, [{ kind: 'table2html', provider: 'openai', model: 'x' }])
    }
    assert.equal(parsed(partition, tables({ provider_type: 'openai' }))[1]?.settings.model, 'a-model')
    assert.match(
      messageOf(partition, tables({ provider_type: 'anthropic', model: 'x' })),
      /MILLRACE_ANTHROPIC_API_KEY/,
    )
    assert.match(messageOf(partition, tables({ provider_type: 'vertexai' })), /choose one of anthropic/)
  })

  test('it warns about chunks longer than a provider’s model reads', () => {
    const long = { ...chunk, settings: { max_characters: 2048 } }
    const warn = (settings: object) => nodeWarnings(parsed(partition, long, openai(settings)))
    assert.deepEqual(warn({}), [])
    assert.match(warn({ model_name: 'mxbai-embed-large' })[0]?.message ?? '', /the first 1,792 characters/)
    assert.deepEqual(warn({ model_name: 'own', dimensions: 8 }), [])
  })

  test('it counts the context as part of a chunk', () => {
    const model = openai({ model_name: 'mxbai-embed-large' })
    const warn = (settings: object) => nodeWarnings(parsed(partition, { ...chunk, settings }, model))
    const settings = { max_characters: 1500 }
    assert.deepEqual(warn(settings), [])
    const [warning] = warn({ ...settings, contextual_chunking_strategy: 'v1' })
    assert.equal(warning?.code, 'chunks_beyond_embedder')
    assert.match(warning?.message ?? '', /^max_characters is 1500 plus a context of up to 500, but /)
    assert.deepEqual(warn({ max_characters: 1200, contextual_chunking_strategy: 'v1' }), [])
  })
})

describe('the settings hash', () => {
  const hash = (...nodes: object[]) => settingsHash(parseNodes(nodes))

  test('it is equal for nodes with the same effect', () => {
    const written = hash(partition, chunk, embed)
    assert.equal(settingsHash(parseNodes(null)), written)
    const settings = { new_after_n_chars: 800, max_characters: 1000, unstructured_api_url: null }
    assert.equal(hash({ ...partition, name: 'other' }, { ...chunk, settings }, embed), written)
  })

  test('it changes with every setting that changes the elements', () => {
    const variants = [
      hash(partition, chunk, embed),
      hash(partition, chunk),
      hash(partition),
      hash({ ...partition, subtype: 'hi_res' }),
      hash({ ...partition, settings: { exclude_elements: ['Table'] } }),
      hash(partition, { ...chunk, settings: { overlap: 1 } }),
      hash(partition, { ...chunk, subtype: 'chunk_by_character' }),
    ]
    assert.equal(new Set(variants).size, variants.length)
  })
})

describe('warnings', () => {
  test('it explains what hi_res adds', () => {
    const hiRes = [{ name: 'P', type: 'partition', subtype: 'hi_res' }]
    assert.deepEqual(
      nodeWarnings(parseNodes(hiRes)).map(({ code }) => code),
      ['hi_res_of_pdfs'],
    )
  })

  test('it warns about chunks longer than the local model reads', () => {
    const long = { ...chunk, settings: { max_characters: 2048 } }
    assert.match(
      nodeWarnings(parseNodes([partition, long, embed]))[0]?.message ?? '',
      /max_characters is 2048/,
    )
    assert.deepEqual(nodeWarnings(parseNodes([partition, long])), [])
    assert.deepEqual(nodeWarnings(parseNodes(null)), [])
  })
})
