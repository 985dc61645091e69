import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type ModelEndpoint,
  type ModelRequest,
  startModelEndpoint,
} from '../../../test/world/model-endpoint.ts'
import type { Element, SourceDocument } from '../../document.ts'
import { NO_ACCESS } from '../../permissions/levels.ts'
import type { Endpoints } from '../models/endpoints.ts'
import { openModels } from '../models/models.ts'
import { parseNodes, plan } from '../nodes.ts'
import type { PartitionResult } from '../partition-result.ts'
import type { Runner } from '../runner.ts'
import { createRunnerFactory, type RunnerFactory } from '../runner-factory.ts'
import { partitionWithVlm } from '../vlm-partition.ts'

const { signal } = new AbortController()
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const BODY = `<h1>Mills</h1><p>Ada runs the mill in York.</p>
  <img alt="The wheel" src="data:image/png;base64,${PIXEL}"><img alt="A drawing" src="data:image/svg+xml;base64,AAAA">
  <img alt="Elsewhere" src="/pictures/weir.png">
  <table><tr><th>Mill</th><th>Year</th></tr><tr><td>York</td><td>1790</td></tr></table>`

function page(body: string | Uint8Array = BODY, filetype = 'text/html'): SourceDocument {
  const ref = {
    ...{
      recordId: 'w/1',
      scope: 'A',
      position: '1',
      version: '1',
      title: 'Mills',
      url: 'https://w.example/1',
    },
    ...{ locator: {}, filename: '1.html', createdAt: null, modifiedAt: null, author: null },
    ...{ scopeName: 'A', labels: [], ancestors: [], access: NO_ACCESS },
  }
  return { ref, version: '1', filetype, body }
}

const userText = ({ body }: ModelRequest) => JSON.stringify(body.messages)

describe('enrichments of a document', () => {
  let server: ModelEndpoint
  let runners: RunnerFactory
  const endpoints = (): Endpoints => {
    const endpoint = { baseUrl: `${server.url}/v1`, apiKey: 'sk-canary', model: 'a-model' }
    const bedrock = {
      ...{ baseUrl: server.url, region: 'eu-central-1', accessKeyId: 'AKIA', secretAccessKey: 'canary' },
      ...{ sessionToken: null, model: 'a-model' },
    }
    return { openai: endpoint, anthropic: { ...endpoint, baseUrl: server.url }, bedrock }
  }
  const open = () => createRunnerFactory({ models: { endpoints: endpoints(), fetch } })
  before(async () => {
    server = await startModelEndpoint()
  })
  beforeEach(() => {
    server.asked.length = 0
    server.trouble = () => null
    server.ends = null
    server.says = () => 'A water wheel with twelve paddles.'
    runners = open()
  })
  after(() => server.close())

  const nodesOf = (...more: object[]) =>
    parseNodes([{ name: 'P', type: 'partition', subtype: 'auto' }, ...more], {
      configured: runners.configured,
    })
  const runnerWith = (...more: object[]): Promise<Runner> => runners.create(plan(nodesOf(...more)))
  const prompter = (subtype: string, settings = {}) => ({
    name: subtype,
    type: 'prompter',
    subtype,
    settings,
  })
  const work = async (...more: object[]): Promise<PartitionResult> =>
    (await runnerWith(...more)).work(page(), signal)
  const findByType = ({ elements }: PartitionResult, type: Element['type']) =>
    elements.find((each) => each.type === type)!

  for (const provider of ['openai', 'anthropic', 'bedrock']) {
    test(`it adds a picture description by ${provider} below the caption`, async () => {
      const plain = await work()
      const result = await work(prompter(`${provider}_image_description`))
      assert.equal(findByType(result, 'Image').text, 'The wheel\nA water wheel with twelve paddles.')
      assert.equal(findByType(result, 'Image').metadata.image_base64, PIXEL)
      const [asked] = server.asked
      assert.equal(server.asked.length, 1, 'only one picture has data of a type that models read')
      assert.ok(JSON.stringify(asked?.body).includes(PIXEL.slice(0, 60)))
      assert.deepEqual(
        result.elements.map((each) => each.element_id),
        plain.elements.map((each) => each.element_id),
      )
      const [left] = result.warnings
      assert.deepEqual([result.warnings.length, left?.code, left?.count], [1, 'enrichment_left_out', 2])
    })
  }

  test('it describes a table and keeps its rows and cells', async () => {
    server.says = () => 'Mills and\nthe years they were built.'
    const table = findByType(await work(prompter('openai_table_description')), 'Table')
    assert.equal(table.text, 'Mills and the years they were built.')
    assert.match(table.metadata.text_as_html ?? '', /<td>1790<\/td>/)
    assert.match(userText(server.asked[0]!), /<td>1790<\/td>/)
  })

  test('it reads rows and cells from an answer without its markup', async () => {
    server.says = () =>
      'Here it is:\n```html\n<table onclick="x()"><tr><td><script>alert(1)</script><b>York</b></td><td>1790</td></tr></table>\n```'
    const runner = await runnerWith(prompter('openai_table2html'))
    const scanned = {
      ...findByType(await work(), 'Table'),
      metadata: { filename: 's.png', filetype: 'image/png' },
    }
    const result = await runner.enrich({ elements: [scanned], warnings: [] }, 0, signal)
    assert.equal(
      result.elements[0]?.metadata.text_as_html,
      '<table><tbody><tr><td>York</td><td>1790</td></tr></tbody></table>',
    )
    const ownCells = await work(prompter('twopass_table2html'))
    assert.match(findByType(ownCells, 'Table').metadata.text_as_html ?? '', /<th>Year<\/th>/)
    assert.equal(server.asked.length, 1, 'a table with its own cells needs no request')
  })

  test('it finds entities and merges them into chunks', async () => {
    server.says = (asked) =>
      userText(asked).includes('Ada')
        ? '{"items":[{"entity":"Ada","type":"PERSON"},{"entity":""}],"relationships":[{"from":"Ada","relationship":"runs","to":"mill"}]}'
        : '```json\n{"items":[]}\n```'
    const user = { prompt_interface_overrides: { prompt: { user: 'Look closely: {{text}}' } } }
    const result = await work(prompter('anthropic_ner', user))
    const expected = {
      items: [{ entity: 'Ada', type: 'PERSON' }],
      relationships: [{ from: 'Ada', relationship: 'runs', to: 'mill' }],
    }
    assert.deepEqual(findByType(result, 'NarrativeText').metadata.entities, expected)
    assert.equal(findByType(result, 'Title').metadata.entities, undefined)
    assert.ok(server.asked.some((asked) => userText(asked).includes('Look closely: Ada runs')))
    const chunked = await work(prompter('anthropic_ner', user), { type: 'chunk', subtype: 'chunk_by_title' })
    assert.deepEqual(findByType(chunked, 'CompositeElement').metadata.entities, expected)
  })

  test('it removes characters that an index rejects', async () => {
    server.says = () => 'A \u0000water\ud83d wheel\u001b[0m\r\nwith\tpaddles'
    const image = findByType(await work(prompter('openai_image_description')), 'Image')
    assert.equal(image.text, 'The wheel\nA water\ufffd wheel[0m\nwith\tpaddles')
    server.says = () =>
      '{"items":[{"entity":"A\\u0000da\\ud83d","type":"PERSON"},{"entity":"\\u0000","type":"X"}]}'
    const text = findByType(await work(prompter('openai_ner')), 'NarrativeText')
    assert.deepEqual(text.metadata.entities?.items, [{ entity: 'Ada\ufffd', type: 'PERSON' }])
  })

  test('it reads text in a picture', async () => {
    server.says = () => 'WATER 12'
    assert.equal(findByType(await work(prompter('openai_ocr')), 'Image').text, 'WATER 12')
    server.says = () => 'NO TEXT'
    runners = open()
    assert.equal(findByType(await work(prompter('openai_ocr')), 'Image').text, 'The wheel')
  })

  test('it repeats no request unless the answer was unusable', async () => {
    server.says = () => 'no JSON at all'
    const first = await work(prompter('openai_ner'))
    const count = server.asked.length
    assert.equal(first.warnings[0]?.code, 'enrichment_failed')
    assert.equal(first.warnings[0]?.count, count)
    server.says = () => '{"items":[]}'
    assert.deepEqual((await work(prompter('openai_ner'))).warnings, [])
    assert.equal(server.asked.length, 2 * count)
    await work(prompter('openai_ner'))
    assert.equal(server.asked.length, 2 * count)
    await work(prompter('openai_ner', { model: 'another' }))
    assert.equal(server.asked.length, 3 * count)
  })

  test('it indexes a document without descriptions if the endpoint fails, and retries next time', async () => {
    const wait = { 'retry-after-ms': '1' }
    server.trouble = () => ({ status: 500, headers: wait, body: { error: 'sk-canary' } })
    const result = await work(prompter('openai_ner'), { type: 'chunk', subtype: 'chunk_by_title' })
    assert.equal(findByType(result, 'CompositeElement').text.split('\n')[0], 'Mills')
    assert.equal(result.incomplete, true)
    const [failed] = result.warnings
    assert.deepEqual([failed?.code, result.warnings.length], ['enrichment_failed', 1])
    assert.match(
      failed?.message ?? '',
      /^adding the entities of an element: asking a-model of openai: the endpoint failed \(500\)$/,
    )

    runners = open()
    server.trouble = () => ({ status: 401 })
    assert.equal((await work(prompter('openai_ner'))).warnings[0]?.code, 'enrichment_failed')
    server.trouble = () => ({ status: 400 })
    const refused = await work(prompter('openai_ner'))
    assert.equal(refused.incomplete, undefined, 'a rejected request would be rejected again')
  })

  test('it stops sending requests to an endpoint that is down', async () => {
    server.trouble = () => ({ status: 401 })
    const many = Array.from({ length: 50 }, (_, i) => `<p>Paragraph number ${i} of this page.</p>`).join('')
    const result = await (await runnerWith(prompter('openai_ner'))).work(page(many), signal)
    assert.equal(result.warnings[0]?.count, result.elements.length)
    assert.ok(server.asked.length <= 8, `${server.asked.length} times`)
  })

  test('it prepends context to chunks without changing ids', async () => {
    server.says = () => 'From a page about mills.'
    const settings = { contextual_chunking_strategy: 'v1' }
    const plain = await work({ type: 'chunk', subtype: 'chunk_by_title' })
    const result = await work({ type: 'chunk', subtype: 'chunk_by_title', settings })
    assert.ok(result.elements.length > 1)
    for (const [i, { element_id, text }] of result.elements.entries()) {
      assert.equal(element_id, plain.elements[i]?.element_id)
      assert.equal(text, `From a page about mills.\n\n${plain.elements[i]?.text}`)
    }
    server.trouble = () => ({ status: 401 })
    runners = open()
    const failed = await work({ type: 'chunk', subtype: 'chunk_by_title', settings })
    assert.deepEqual(failed.elements, plain.elements)
    assert.equal(failed.warnings[0]?.code, 'context_failed')
  })

  test('it reads a picture with a model, and HTML without one', async () => {
    server.says = () =>
      '```html\n<h1>Notice</h1><p onclick="x()">The mill is closed.</p><script>x()</script>\n```'
    const nodes = parseNodes([{ type: 'partition', subtype: 'vlm', settings: { provider: 'openai' } }], {
      configured: runners.configured,
    })
    const runner = await runners.create(plan(nodes))
    assert.deepEqual([runner.reads('image/png'), runner.reads('image/avif')], [true, false])
    const { elements } = await runner.work(page(Buffer.from(PIXEL, 'base64'), 'image/png'), signal)
    assert.deepEqual(
      elements.map(({ type, text, metadata }) => [type, text, metadata.partitioner_type, metadata.filetype]),
      [
        ['Title', 'Notice', 'vlm', 'image/png'],
        ['NarrativeText', 'The mill is closed.', 'vlm', 'image/png'],
      ],
    )
    assert.equal(server.asked.length, 1)
    assert.deepEqual(await runner.work(page(), signal), await work())
    assert.equal(server.asked.length, 1)
    server.trouble = () => ({ status: 400 })
    runners = open()
    await assert.rejects(
      (await runners.create(plan(nodes))).work(page(Buffer.from(PIXEL, 'base64'), 'image/png'), signal),
      { code: 'model_failed' },
    )
  })

  for (const [provider, reasons] of [
    ['openai', ['length', 'content_filter']],
    ['anthropic', ['max_tokens', 'refusal']],
    ['bedrock', ['max_tokens', 'guardrail_intervened', 'content_filtered']],
  ] as const) {
    test(`it rejects an unfinished answer of ${provider}`, async () => {
      const nodes = parseNodes([{ type: 'partition', subtype: 'vlm', settings: { provider } }], {
        configured: runners.configured,
      })
      const runner = await runners.create(plan(nodes))
      const picture = page(Buffer.from(PIXEL, 'base64'), 'image/png')
      for (const reason of reasons) {
        for (const text of ['<p>The first half', '']) {
          server.ends = reason
          server.says = () => text
          await assert.rejects(runner.work(picture, signal), {
            code: 'model_failed',
            message: /cut off|declined/,
          })
        }
      }
      server.ends = null
      server.says = () => '<p>All of it.</p>'
      const { elements } = await runner.work(picture, signal)
      assert.equal(elements[0]?.text, 'All of it.')
    })
  }

  test('it does not cache an answer without HTML', async () => {
    server.says = () => 'I see a notice.'
    const nodes = parseNodes([{ type: 'partition', subtype: 'vlm', settings: { provider: 'openai' } }], {
      configured: runners.configured,
    })
    const runner = await runners.create(plan(nodes))
    const picture = page(Buffer.from(PIXEL, 'base64'), 'image/png')
    await assert.rejects(runner.work(picture, signal), { code: 'model_failed', message: /not HTML/ })
    server.says = () => '<p>A notice.</p>'
    for (let i = 0; i < 2; i++)
      assert.equal((await runner.work(picture, signal)).elements[0]?.text, 'A notice.')
    assert.equal(server.asked.length, 2)
  })

  test('it allows reasoning for a context and keeps it short', async () => {
    server.says = () => `From a page about mills. ${'It goes on and on. '.repeat(100)}`
    const settings = { contextual_chunking_strategy: 'v1' }
    const plain = await work({ type: 'chunk', subtype: 'chunk_by_title' })
    const result = await work({ type: 'chunk', subtype: 'chunk_by_title', settings })
    assert.ok(Number(server.asked[0]?.body.max_tokens) >= 2000)
    for (const [i, { text }] of result.elements.entries()) {
      assert.match(text, /^From a page about mills\. .*on\.\n\n/)
      assert.ok(text.length <= 502 + plain.elements[i]!.text.length)
    }
  })

  test('it reads each page of a PDF as a picture', async () => {
    let pages = 0
    server.says = () => `<h1>Page ${++pages}</h1><p>Text of the page.</p>`
    const nodes = parseNodes([{ type: 'partition', subtype: 'vlm', settings: { provider: 'openai' } }], {
      configured: runners.configured,
    })
    const runner = await runners.create(plan(nodes))
    const scan = await readFile(new URL('../../../test/fixtures/files/scan.pdf', import.meta.url))
    const { elements } = await runner.work(page(scan, 'application/pdf'), signal)
    await runners.close()
    assert.ok(pages >= 1 && server.asked.length === pages)
    assert.ok(server.asked.every((asked) => userText(asked).includes('data:image/png;base64,iVBOR')))
    assert.deepEqual(
      elements
        .filter(({ type }) => type === 'Title')
        .map(({ text, metadata }) => [text, metadata.page_number]),
      Array.from({ length: pages }, (_, index) => [`Page ${index + 1}`, index + 1]),
    )
    assert.ok(elements.every(({ metadata }) => metadata.partitioner_type === 'vlm'))
  })

  test('it limits the pages of a PDF and reports the rest', async () => {
    server.says = () => '<p>Text of the page.</p>'
    const files = await runners.files()
    const model = openModels({ endpoints: endpoints(), fetch }).find({ provider: 'openai', model: 'm' })
    const book = await readFile(new URL('../../../test/fixtures/files/handbook.pdf', import.meta.url))
    const document = page(book, 'application/pdf')
    const whole = await partitionWithVlm(document, { model, files }, signal)
    const pages = server.asked.length
    assert.ok(pages > 1)
    assert.deepEqual(whole.warnings, [])
    const part = await partitionWithVlm(document, { model, files, maxPages: 1 }, signal)
    await runners.close()
    assert.deepEqual(
      part.warnings.map(({ code, count }) => [code, count]),
      [['pages_left_out', pages - 1]],
    )
    assert.ok(part.elements.every(({ metadata }) => metadata.page_number === 1))
  })

  test('it sends no picture of more than 5 MB', async () => {
    const nodes = parseNodes([{ type: 'partition', subtype: 'vlm', settings: { provider: 'openai' } }], {
      configured: runners.configured,
    })
    const runner = await runners.create(plan(nodes))
    await assert.rejects(runner.work(page(Buffer.alloc(5_000_001), 'image/png'), signal), {
      code: 'document_too_large',
      message: /larger than 5 MB/,
    })
    const described = await runnerWith(prompter('openai_image_description'))
    const image = findByType(await work(), 'Image')
    const image_base64 = Buffer.alloc(5_000_001).toString('base64')
    const large = { ...image, metadata: { ...image.metadata, image_base64 } }
    const { warnings } = await described.enrich({ elements: [large], warnings: [] }, 0, signal)
    assert.equal(warnings[0]?.code, 'enrichment_left_out')
    assert.match(warnings[0]?.message ?? '', /larger than 5 MB/)
    assert.equal(server.asked.length, 0)
  })

  test('it sends at most 1,000 requests per document and reports the rest', async () => {
    server.says = () => '{"items":[]}'
    const many = '<p>Ada runs the mill.</p>'.repeat(1000) + '<p>And this is the last line.</p>'.repeat(10)
    const result = await (await runnerWith(prompter('openai_ner'))).work(page(many), signal)
    assert.ok(server.asked.every((asked) => !userText(asked).includes('the last line')))
    assert.deepEqual(
      result.warnings.map(({ code, count }) => [code, count]),
      [['enrichment_left_out', result.elements.length - 1000]],
    )
    assert.match(result.warnings[0]?.message ?? '', /a document gets at most 1,000 model requests/)
    assert.equal(result.incomplete, undefined)
  })

  test('it stops when aborted', async () => {
    server.trouble = () => ({ status: 200, never: true })
    const caller = new AbortController()
    const running = (await runnerWith(prompter('openai_ner'))).work(page(), caller.signal)
    setImmediate(() => caller.abort(new Error('cancelled')))
    await assert.rejects(running, { message: 'cancelled' })
  })
})
