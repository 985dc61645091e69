import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { hosted, openApiService } from '../world/api-service.ts'
import { TEST_KEY } from '../world/service.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** As a user writes it; the lines after `@ts-expect-error` have to be type errors. */
const SAMPLE = `
import { collect, type Job, Millrace, MillraceError, type SearchQuery } from 'millrace-client'

const [url = '', key = '', config = '{}'] = process.argv.slice(2)
const millrace = new Millrace({ url, key })
const destination = await millrace.destinations.create({ name: 'Search', type: 'searchindex', config: JSON.parse(config) })
for (const name of ['one', 'two', 'three']) await millrace.workflows.create({ name, destination_id: destination.id })
const workflows = await collect(millrace.workflows.list({ page_size: 2, sort_by: 'name' }))
const refused = await millrace.sources
  .create({ name: 'a', type: 'wiki', config: JSON.parse('{"adress":"x"}') })
  .then(() => null, (error: unknown) => (error instanceof MillraceError ? error : null))
const job: Job = await millrace.request('POST /api/v1/jobs', { body: uploaded() })
const found: number[] = []
const ended = await millrace.waitForJob(job.id, { onProgress: (progress) => found.push(progress.found) })
const missing = await millrace.jobs.get('none').catch((error: MillraceError) => error.code)
console.log(JSON.stringify({
  workflows: workflows.map(({ name }) => name),
  refused: [refused?.status, refused?.code, refused?.fields.some(({ loc }) => loc.includes('adress'))],
  ended: [ended.status, found.at(-1)],
  missing,
}))

function uploaded(): FormData {
  const form = new FormData()
  form.append('request_data', JSON.stringify({ job_nodes: [{ name: 'P', type: 'partition', subtype: 'fast' }] }))
  form.append('input_files', new Blob(['Mill']), 'a.txt')
  return form
}

export const query: SearchQuery = { query: 'mill', size: 5 }
// @ts-expect-error A size is a number.
export const wrongQuery: SearchQuery = { query: 'mill', size: '5' }
// @ts-expect-error A wiki has no such setting.
export const wrongSetting = () => millrace.sources.create({ name: 'a', type: 'wiki', config: { adress: 'x' } })
// @ts-expect-error The path needs an id.
export const wrongPath = () => millrace.request('GET /api/v1/jobs/{id}')
// @ts-expect-error There is no such operation.
export const wrongOperation = () => millrace.request('GET /api/v1/job')
`

const OPTIONS = {
  compilerOptions: {
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2023'], types: ['node'], strict: true, noEmit: true },
    typeRoots: [join(root, 'node_modules/@types')],
  },
  files: ['sample.ts'],
}

describe('the package millrace-client', () => {
  const service = openApiService()
  let folder: string
  let project: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-package-'))
    project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{ "type": "module" }')
    await writeFile(join(project, 'sample.ts'), SAMPLE)
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(OPTIONS))
    await execute(process.execPath, ['packages/millrace-client/build.ts'], { cwd: root })
    const packed = ['pack', '--offline', join(root, 'dist/millrace-client')]
    await execute('npm', packed, { cwd: folder })
    const name = (await readdir(folder)).find((each) => each.endsWith('.tgz')) ?? ''
    const quiet = ['--offline', '--no-audit', '--no-fund']
    await execute('npm', ['install', ...quiet, join(folder, name)], { cwd: project })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('it has types, a licence and no dependencies', async () => {
    const installed = join(project, 'node_modules/millrace-client')
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual([manifest.license, manifest.dependencies], ['Apache-2.0', undefined])
    assert.deepEqual((await readdir(installed)).sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
    const own = join(root, 'dist/millrace-client')
    const { stdout } = await execute(join(root, 'node_modules/.bin/publint'), [own, '--strict'])
    assert.match(stdout, /All good/)
    await execute(join(root, 'node_modules/.bin/tsc'), ['-p', project])
  })

  test('it works against a service', async () => {
    const settings = [service.millrace.url ?? '', TEST_KEY, JSON.stringify(hosted)]
    const { stdout } = await execute(process.execPath, ['sample.ts', ...settings], { cwd: project })
    assert.deepEqual(JSON.parse(stdout), {
      workflows: ['one', 'three', 'two'],
      refused: [422, 'invalid_request', true],
      ended: ['COMPLETED', 1],
      missing: 'not_found',
    })
  })
})
