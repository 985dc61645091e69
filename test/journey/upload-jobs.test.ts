import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { UnstructuredClient } from 'unstructured-client'
import { Strategy } from 'unstructured-client/sdk/models/shared'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { type Api, apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { addOtherWorkspace } from '../world/other-workspace.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Output = { node_id: string; file_id: string; node_type: string; node_subtype: string }
type Job = {
  id: string
  workflow_id: string
  workflow_name: string
  status: string
  job_type: string
  input_file_ids: string[] | null
  output_node_files: Output[] | null
}
type Element = {
  type: string
  element_id: string
  text: string
  embeddings?: number[]
  metadata: { filename: string; parent_id?: string }
}

const notes = '<h1>Mill</h1><p>The wheel turns by the water.</p><h2>Race</h2><p>It leads the water there.</p>'
const partition = { name: 'Partitioner', type: 'partition', subtype: 'fast' }
const chunk = { name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title' }
const embed = { name: 'Embedder', type: 'embed', subtype: 'local' }

describe('uploaded files', () => {
  let millrace: Millrace
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let api: Api
  before(async () => {
    database = await migratedDatabase()
    millrace = await startMillrace({ databaseUrl: database.url })
    api = apiOf(millrace.url ?? '')
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await database?.drop()
  })

  const send = async (form: FormData, path = '/api/v1/jobs/') => {
    const headers = { 'unstructured-api-key': TEST_KEY }
    const response = await fetch(`${millrace.url}${path}`, { method: 'POST', headers, body: form })
    const text = await response.text()
    return { status: response.status, text, type: response.headers.get('content-type') ?? '' }
  }
  const ended = (job: Job) =>
    until(
      async () => (await api.get<Job>(`/jobs/${job.id}`)).body,
      ({ status }) => status === 'COMPLETED' || status === 'FAILED' || status === 'STOPPED',
      180,
    )
  const download = async (job: Job, output: Partial<Output>) =>
    api.get<Element[]>(
      `/jobs/${job.id}/download?file_id=${output.file_id}${output.node_id ? `&node_id=${output.node_id}` : ''}`,
    )

  test('it turns files into elements, downloadable per node', async () => {
    const form = formOf(
      { job_nodes: [partition, chunk, embed] },
      { 'mill.html': notes, 'race.txt': 'A race.' },
    )
    const { status, text } = await send(form)
    assert.equal(status, 200, text)
    const job = JSON.parse(text) as Job
    assert.equal(job.job_type, 'ephemeral')
    assert.match(job.workflow_name, /^job-/)
    const done = await ended(job)
    assert.equal(done.status, 'COMPLETED')
    assert.equal(done.input_file_ids?.length, 2)
    assert.deepEqual(
      done.output_node_files?.map(({ node_type, node_subtype }) => `${node_type} ${node_subtype}`),
      [
        'partition fast',
        'chunk chunk_by_title',
        'embed local',
        'partition fast',
        'chunk chunk_by_title',
        'embed local',
      ],
    )
    const [parts, chunks, vectors] = done.output_node_files as [Output, Output, Output]
    const { body: elements } = await download(job, parts)
    assert.deepEqual(
      elements.map(({ type, text: said }) => [type, said]),
      [
        ['Title', 'Mill'],
        ['NarrativeText', 'The wheel turns by the water.'],
        ['Title', 'Race'],
        ['NarrativeText', 'It leads the water there.'],
      ],
    )
    assert.equal(elements[0]?.metadata.filename, 'mill.html')
    assert.ok((await download(job, chunks)).body.every(({ type }) => type === 'CompositeElement'))
    assert.ok((await download(job, vectors)).body.every(({ embeddings }) => embeddings?.length === 384))
    // Without a node, the last node's.
    assert.deepEqual(
      (await download(job, { file_id: vectors.file_id })).body,
      (await download(job, vectors)).body,
    )
    const details = await api.get<{ counts: { new: number } }>(`/jobs/${job.id}/details`)
    assert.equal(details.body.counts.new, 2)
  })

  test('it skips an unsupported file with a reason and processes the others', async () => {
    const form = formOf({ template_id: 'hi_res_partition' }, { 'a.txt': 'Readable.' })
    form.append('input_files[]', new Blob([Buffer.from([0, 1, 2, 3, 4, 5])]), '../../etc/film.bin')
    form.append('input_files[]', new Blob([]), 'empty.txt')
    const job = JSON.parse((await send(form)).text) as Job
    assert.equal(job.job_type, 'template')
    const done = await ended(job)
    assert.equal(done.status, 'COMPLETED')
    assert.equal(done.output_node_files?.length, 1)
    const { body } = await api.get<{
      items: { title: string; state: string; error?: { code: string; message: string } }[]
    }>(`/jobs/${job.id}/documents`)
    const film = body.items.find(({ title }) => title === 'film.bin')
    assert.deepEqual([film?.state, film?.error?.code], ['skipped', 'document_unsupported'])
    const empty = body.items.find(({ title }) => title === 'empty.txt')
    assert.deepEqual([empty?.state, empty?.error?.code], ['skipped', 'document_unsupported'])
    assert.match(empty?.error?.message ?? '', /empty/)
  })

  test('it accepts a run without files', async () => {
    const { status, text } = await send(formOf({ job_nodes: [partition] }, {}))
    assert.equal(status, 200, text)
    assert.equal((await ended(JSON.parse(text))).status, 'COMPLETED')
  })

  test('it accepts files for a workflow without connectors only', async () => {
    const { body: flow } = await api.post<{ id: string }>('/workflows', {
      name: 'Local',
      workflow_type: 'custom',
      workflow_nodes: [partition],
    })
    const form = new FormData()
    form.append('input_files', new Blob(['A race.']), 'race.txt')
    const { status, text } = await send(form, `/api/v1/workflows/${flow.id}/run`)
    assert.equal(status, 202, text)
    const job = JSON.parse(text) as Job
    assert.equal(job.workflow_id, flow.id)
    const done = await ended(job)
    assert.equal((await download(job, done.output_node_files?.[0] ?? {})).body[0]?.text, 'A race.')

    const source = await api.post<{ id: string }>('/sources', {
      name: 'Wiki',
      type: 'wiki',
      config: { url: 'https://acme.atlassian.net', cloud: true, username: 'a@b.example', token: 'x' },
    })
    assert.equal(source.status, 200, source.text)
    const connected = await api.put(`/workflows/${flow.id}`, { source_id: source.body.id })
    assert.equal(connected.status, 200, connected.text)
    const again = new FormData()
    again.append('input_files', new Blob(['A race.']), 'race.txt')
    const refused = await send(again, `/api/v1/workflows/${flow.id}/run`)
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.text, /neither source nor destination/)
  })

  test('it names the field of invalid input and never answers 500', async () => {
    const nodes = [partition]
    const wrong: [string, FormData, number][] = [
      ['no request_data', formOf(undefined, { 'a.txt': 'a' }), 422],
      ['no JSON', withField(new FormData(), 'request_data', '{'), 422],
      ['neither', formOf({}, {}), 422],
      ['both', formOf({ template_id: 'hi_res_partition', job_nodes: nodes }, {}), 422],
      ['no such template', formOf({ template_id: 'none' }, {}), 422],
      ['a wrong node', formOf({ job_nodes: [{ ...partition, subtype: 'slow' }] }, {}), 422],
      ['an unknown field', withField(formOf({ job_nodes: nodes }, {}), 'more', '1'), 422],
      [
        'too many files',
        formOf({ job_nodes: nodes }, Object.fromEntries([...Array(11).keys()].map((n) => [`${n}.txt`, 'x']))),
        422,
      ],
      ['too large', formOf({ job_nodes: nodes }, { 'a.txt': 'x'.repeat(10 * 1024 * 1024 + 1) }), 413],
    ]
    for (const [what, form, status] of wrong) {
      const answer = await send(form)
      assert.equal(answer.status, status, `${what}: ${answer.text}`)
    }
    const json = new FormData()
    const requestData = JSON.stringify({ job_nodes: nodes })
    json.append('request_data', new Blob([requestData], { type: 'application/json' }))
    // A part with a file name is a file, whatever its field is called.
    assert.equal((await send(json)).status, 422)
    const typed =
      '--x\r\ncontent-disposition: form-data; name="request_data"\r\ncontent-type: application/json\r\n'
    const asJson = await fetch(`${millrace.url}/api/v1/jobs/`, {
      method: 'POST',
      headers: { 'unstructured-api-key': TEST_KEY, 'content-type': 'multipart/form-data; boundary=x' },
      body: `${typed}\r\n${requestData}\r\n--x--\r\n`,
    })
    assert.equal(asJson.status, 200, await asJson.text())
    const long = formOf({ job_nodes: nodes }, { [`${'x'.repeat(254)}😀.txt`]: 'x' })
    assert.equal((await send(long)).status, 200)
    const cut = await fetch(`${millrace.url}/api/v1/jobs/`, {
      method: 'POST',
      headers: { 'unstructured-api-key': TEST_KEY, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\ncontent-disposition: form-data; name="request_data"\r\n\r\n{',
    })
    assert.equal(cut.status, 422)
    assert.equal((await api.post('/jobs', { template_id: 'hi_res_partition' })).status, 422)
  })

  test('it keeps files within their workspace', async () => {
    const { workspace } = await addOtherWorkspace(database.url)
    const job = await ended(
      JSON.parse((await send(formOf({ job_nodes: [partition] }, { 'a.txt': 'Ours.' }))).text) as Job,
    )
    const path = `/jobs/${job.id}/download?file_id=${job.output_node_files?.[0]?.file_id}`
    assert.equal((await api.get(path)).status, 200)
    assert.equal((await api.get(`/jobs/${job.id}/download?file_id=x`)).status, 404)
    const db = openDatabase(database.url)
    await sql`update jobs set workspace_id = ${workspace} where id = ${job.id}`.execute(db)
    await closeDatabase(db)
    assert.equal((await api.get(path)).status, 404)
  })

  describe('the older endpoint', () => {
    const general = (
      fields: Record<string, string>,
      files: Record<string, string> = { 'mill.html': notes },
    ) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      for (const [name, text] of Object.entries(files)) form.append('files', new Blob([text]), name)
      return send(form, '/general/v0/general')
    }

    test('it returns elements as JSON or CSV, with unique ids on request', async () => {
      const plain = JSON.parse((await general({ strategy: 'fast' })).text) as Element[]
      assert.deepEqual(
        plain.map(({ type }) => type),
        ['Title', 'NarrativeText', 'Title', 'NarrativeText'],
      )
      assert.match(plain[0]?.element_id ?? '', /^[0-9a-f]{32}$/)
      const unique = JSON.parse(
        (await general({ strategy: 'fast', unique_element_ids: 'true' })).text,
      ) as Element[]
      assert.match(unique[0]?.element_id ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(unique[1]?.metadata.parent_id, unique[0]?.element_id)
      const csv = await general({ output_format: 'text/csv' }, { 'a.txt': 'One, "two".' })
      assert.match(csv.type, /^text\/csv/)
      assert.match(csv.text, /^type,element_id,text,.*\r\n[A-Za-z]+,[0-9a-f]{32},"One, ""two""\."/)
      const several = JSON.parse(
        (await general({}, { 'a.txt': 'One.', 'b.txt': 'Two.' })).text,
      ) as Element[][]
      assert.deepEqual(
        several.map(([first]) => first?.text),
        ['One.', 'Two.'],
      )
    })

    test('it chunks within the sizes of the form', async () => {
      const text = 'The wheel turns by the water. '.repeat(60)
      const chunks = JSON.parse(
        (await general({ chunking_strategy: 'basic', max_characters: '200' }, { 'a.txt': text })).text,
      ) as Element[]
      assert.ok(chunks.length > 8)
      assert.ok(chunks.every((each) => each.text.length <= 200))
    })

    test('it refuses invalid fields, a missing key and a missing file', async () => {
      assert.equal((await general({ strategy: 'best' })).status, 422)
      assert.equal((await general({ chunking_strategy: 'basic', max_characters: 'many' })).status, 422)
      assert.equal((await general({}, {})).status, 422)
      const stranger = await fetch(`${millrace.url}/general/v0/general`, {
        method: 'POST',
        body: new FormData(),
      })
      assert.equal(stranger.status, 401)
      const film = await general({}, { 'film.bin': '\u0000\u0001\u0002\u0003' })
      assert.equal(film.status, 422, film.text)
    })

    test('it works with the unmodified npm client of the vendor', async () => {
      const client = new UnstructuredClient({
        serverURL: millrace.url ?? '',
        security: { apiKeyAuth: TEST_KEY },
      })
      const answer = await client.general.partition({
        partitionParameters: {
          files: { content: Buffer.from(notes), fileName: 'mill.html' },
          strategy: Strategy.Fast,
          languages: ['eng'],
        },
      })
      assert.ok(Array.isArray(answer))
      assert.deepEqual(
        answer.map(({ text }) => text),
        ['Mill', 'The wheel turns by the water.', 'Race', 'It leads the water there.'],
      )
    })
  })
})

function formOf(requestData: object | undefined, files: Record<string, string>): FormData {
  const form = new FormData()
  if (requestData) form.append('request_data', JSON.stringify(requestData))
  for (const [name, text] of Object.entries(files)) form.append('input_files[]', new Blob([text]), name)
  return form
}

function withField(form: FormData, name: string, value: string): FormData {
  form.append(name, value)
  return form
}
