import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { localConnectors } from '../../connectors/registry.ts'
import { exampleJob } from '../help/help.ts'
import { jobFileSchema } from './schema.ts'

// A dependency of the API server; the command line does not use it.
const { default: Ajv } = (await import('ajv/dist/2020.js')) as unknown as { default: AjvConstructor }
type AjvConstructor = new (options: object) => { compile(schema: object): Validate }
type Validate = { (value: unknown): boolean; errors?: unknown[] }

const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
  jobFileSchema(localConnectors),
)
const example = () => parse(exampleJob(localConnectors))

test('it accepts the job of the help text', () => {
  assert.equal(validate(example()), true, JSON.stringify(validate.errors, null, 1))
})

test('it accepts a folder, and aliases of types, fields and nodes', () => {
  const folder = { ...example(), destination: { type: 'folder', config: { path: './x' } } }
  assert.equal(validate(folder), true, JSON.stringify(validate.errors))
  const { token, ...config } = example().source.config
  const source = { type: 'confluence', config: { ...config, api_token: token } }
  const destination = {
    type: 'elasticsearch',
    config: { hosts: ['https://localhost:9200'], es_api_key: 'x', index_name: 'wiki' },
  }
  const nodes = [{ type: 'partition', subtype: 'unstructured_api', settings: { strategy: 'fast' } }]
  const job = { version: 1, source, destination, nodes, state: 'x' }
  assert.equal(validate(job), true, JSON.stringify(validate.errors))
})

test('it accepts a reference for a setting of any type', () => {
  const job = example()
  job.source.config = { ...job.source.config, ...REFERENCES.source }
  job.destination.config = { ...job.destination.config, hosts: REFERENCES.name }
  assert.equal(validate(job), true, JSON.stringify(validate.errors))
})

const wrong: [what: string, change: (job: ReturnType<typeof example>) => void][] = [
  ['no source', (job) => delete job.source],
  ['an unknown key', (job) => Object.assign(job, { stat: 'x' })],
  ['an unknown setting', (job) => Object.assign(job.source.config, { usrname: 'x' })],
  ['an unknown type', (job) => Object.assign(job.source, { type: 'wikki' })],
  ['a setting of another type', (job) => Object.assign(job.destination.config, { path: 'x' })],
  ['a list instead of a number', (job) => Object.assign(job.source.config, { max_num_of_spaces: [1] })],
  ['an unknown node type', (job) => job.nodes.push({ type: 'partitoin' })],
  ['a node with a subtype of another type', (job) => job.nodes.push({ type: 'chunk', subtype: 'local' })],
  ['another version', (job) => Object.assign(job, { version: 2 })],
]
for (const [what, change] of wrong)
  test(`it rejects ${what}`, () => {
    const job = example()
    change(job)
    assert.equal(validate(job), false)
  })

const name = `\${NAME}`
const REFERENCES = { name, source: { spaces: name, max_num_of_spaces: name, extract_images: name } }
