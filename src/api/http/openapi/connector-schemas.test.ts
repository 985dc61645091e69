import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { serviceWithToys } from '../../../../test/contract/toys/registry.ts'
import { MASK, mask, mergeUpdate, parseConfig, splitSecrets } from '../../../connectors/describe.ts'
import { createEgress } from '../../../connectors/egress/guard.ts'
import { serviceConnectors } from '../../../connectors/registry.ts'
import { AppError } from '../../../errors.ts'
import { unstartedServer } from '../unstarted-server.ts'

// A dependency of the API server.
const { default: Ajv } = (await import('ajv/dist/2020.js')) as unknown as { default: AjvConstructor }
type AjvConstructor = new (options: object) => { compile(schema: object): Validate }
type Validate = { (value: unknown): boolean; errors?: unknown[] }
type Media = { schema: object; examples?: Record<string, { value: Body }> }
type Body = { name: string; type: string; config: Record<string, unknown> }
type Content = { content: { 'application/json': Media } }
type Document = {
  paths: Record<string, Record<string, { requestBody: Content; responses: Record<string, Content> }>>
  components: { schemas: Record<string, { properties?: Record<string, Record<string, unknown>> }> }
}

const documentOf = async (registry = serviceConnectors) => {
  const server = await unstartedServer(registry)
  const document = JSON.parse(JSON.stringify(server.swagger())) as Document
  await server.close()
  return document
}
const document = await documentOf()
const egress = createEgress()
after(() => egress.close())

/** Checks a value as a strict client would. */
function validator({ components }: Document, schema: object): Validate {
  return new Ajv({ strict: false, discriminator: false }).compile({ ...schema, components })
}
const json = ({ content }: Content): Media => content['application/json']
const operation = (path: string, method: string) => document.paths[`/api/v1/${path}`]![method]!
const createSource = validator(document, json(operation('sources', 'post').requestBody).schema)
const createDestination = validator(document, json(operation('destinations', 'post').requestBody).schema)
const updateDestination = validator(document, json(operation('destinations/{id}', 'put').requestBody).schema)

const url = 'https://acme.atlassian.net'
const hosts = ['https://a.es.eu.aws.elastic-cloud.com']

const sources: [what: string, type: string, config: Record<string, unknown>, isValid: boolean][] = [
  ['an API token', 'wiki', { url, username: 'ada', token: 'x', cloud: true }, true],
  ["the other system's names", 'confluence', { url, username: 'ada', api_token: 'x', cloud: true }, true],
  [
    'null and an empty list as absent',
    'wiki',
    { url, token: 'x', spaces: [], cql: null, statuses: [] },
    true,
  ],
  ['a limit', 'wiki', { url, token: 'x', max_num_of_spaces: 3 }, true],
  ['no address', 'wiki', { token: 'x' }, false],
  ['an unknown field', 'wiki', { url, token: 'x', max_spaces: 3 }, false],
  ['a limit of zero', 'wiki', { url, token: 'x', max_num_of_spaces: 0 }, false],
  ['an unknown status', 'wiki', { url, token: 'x', statuses: ['draft'] }, false],
  ['a field of another type', 'sample', { cql: 'x' }, false],
  ['the sample', 'sample', {}, true],
]
const destinations: typeof sources = [
  ['a key', 'searchindex', { hosts, index_name: 'wiki', search_api_key: 'x' }, true],
  ["the other system's names", 'elasticsearch', { hosts, index_name: 'wiki', es_api_key: 'x' }, true],
  ['no key', 'searchindex', { hosts, index_name: 'wiki' }, false],
  ['no host', 'searchindex', { hosts: [], index_name: 'wiki', search_api_key: 'x' }, false],
  [
    'a table',
    'pgvector',
    { host: 'db.example.com', database: 'a', user: 'b', password: 'c', table: 'd' },
    true,
  ],
  ['no user', 'postgres', { host: 'db.example.com', database: 'a', password: 'c' }, false],
  ['a mode that is none', 'postgres', { host: 'db.example.com', ssl_mode: 'on' }, false],
]

describe('the document of connectors', () => {
  for (const [kind, cases, isValid] of [
    ['source', sources, createSource],
    ['destination', destinations, createDestination],
  ] as const)
    for (const [what, type, config, expected] of cases)
      test(`it agrees with the service on ${what}, for a ${type}`, () => {
        const declared = serviceConnectors[kind](type)!
        const answer = () => parseConfig(declared, config, { egress })
        if (expected) answer()
        else assert.throws(answer, AppError)
        assert.equal(isValid({ name: 'a', type, config }), expected, JSON.stringify(isValid.errors))
      })

  test('it has an example of each type that the service accepts', () => {
    for (const [kind, isValid] of [
      ['source', createSource],
      ['destination', createDestination],
    ] as const) {
      const { examples = {} } = json(operation(`${kind}s`, 'post').requestBody)
      assert.deepEqual(
        Object.keys(examples),
        serviceConnectors[`${kind}s`].map(({ type }) => type),
      )
      for (const { value } of Object.values(examples)) {
        parseConfig(serviceConnectors[kind](value.type)!, value.config, { egress })
        assert.equal(isValid(value), true, JSON.stringify(isValid.errors))
      }
    }
  })

  test('it lets an update leave out a secret', () => {
    const config = { hosts, index_name: 'wiki' }
    assert.equal(updateDestination({ config }), true)
    const type = serviceConnectors.destination('searchindex')!
    const created = parseConfig(type, { ...config, es_api_key: 'x' }, { egress })
    const stored = { ...splitSecrets(type, created.config), wireNames: created.wireNames }
    assert.equal(mergeUpdate(type, stored, { input: config, egress }).config.search_api_key, 'x')
  })

  test('it describes masked settings of a response, under the names of the request', () => {
    const schema = json(operation('sources/{id}', 'get').responses[200]!).schema
    const isValid = validator(document, schema)
    const type = serviceConnectors.source('wiki')!
    const { config, wireNames } = parseConfig(type, { url, username: 'ada', api_token: 'x' }, { egress })
    const shown = mask(type, splitSecrets(type, config).plain, { names: wireNames })
    assert.equal(shown.api_token, MASK)
    const times = { created_at: 'now', updated_at: null }
    const connector = { id: 'a', name: 'a', type: 'confluence', config: shown, key: null, ...times }
    assert.equal(isValid(connector), true, JSON.stringify(isValid.errors))
  })

  test('it has title, default, values and write-only secrets of fields', () => {
    const fields = document.components.schemas.WikiSourceConfig?.properties ?? {}
    assert.equal(fields.max_num_of_spaces?.default, 500)
    assert.deepEqual(fields.files?.enum, ['all', 'embedded', null])
    assert.deepEqual([fields.token?.writeOnly, fields.api_token?.writeOnly], [true, true])
    assert.match(String(fields.url?.title), /Address/)
  })

  test('it has the connectors that a process adds', async () => {
    const { components } = await documentOf(serviceWithToys)
    assert.ok(components.schemas.NotesSourceConfig?.properties?.notebooks)
    assert.ok(components.schemas.NewShelfDestination)
    assert.equal(document.components.schemas.NotesSourceConfig, undefined)
  })
})
