import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { generatedFiles } from './files.ts'
import { typesOf } from './types.ts'

const root = join(import.meta.dirname, '../../..')
const generated = await generatedFiles()

type Described = {
  operationId: string
  summary?: string
  'x-keys'?: string
  parameters?: { name: string; description?: string }[]
}

describe('the OpenAPI document', () => {
  const { openapi, paths } = JSON.parse(generated['docs/openapi.json'] ?? '') as {
    openapi: string
    paths: Record<string, Record<string, Described>>
  }
  const operations = Object.values(paths).flatMap((each) => Object.values(each))

  for (const [path, text] of Object.entries(generated))
    test(`it is current in ${path}`, () => {
      const isCurrent = readFileSync(join(root, path), 'utf8') === text
      assert.ok(isCurrent, 'run `npm run openapi` and commit the result')
    })

  test('it describes every operation and parameter', () => {
    assert.match(openapi, /^3\.1\./)
    const missing = operations.flatMap(({ operationId, summary, parameters = [] }) => [
      ...(summary ? [] : [operationId]),
      ...parameters.flatMap(({ name, description }) => (description ? [] : [`${operationId}: ${name}`])),
    ])
    assert.deepEqual(
      missing,
      [],
      'add a `summary` to the schema of the route, or texts to src/api/http/openapi/texts.ts',
    )
  })

  test('it gives every operation a name of its own and the keys that may call it', () => {
    const names = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(names).size, names.length, names.toSorted().join(' '))
    for (const [path, methods] of Object.entries(paths))
      for (const { 'x-keys': keys } of Object.values(methods))
        if (path.startsWith('/api/')) assert.match(keys ?? '', /^(search|full|none)$/, path)
  })
})

test('it writes types of schemas', () => {
  const types = typesOf({
    components: {
      schemas: {
        Page: {
          type: 'object',
          description: 'One page',
          properties: {
            state: { enum: ['new', 'old'] },
            'x-size': { type: ['integer', 'null'] },
            links: { type: 'array', items: { $ref: '#/components/schemas/Page' } },
          },
          required: ['state'],
          additionalProperties: false,
        },
      },
    },
    paths: {
      '/pages/{id}': {
        put: {
          parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
          requestBody: { required: false, content: { 'multipart/form-data': {} } },
          responses: { 200: { content: { 'application/json': { schema: {} } } }, 404: {} },
        },
      },
    },
  })
  assert.match(types, /\/\*\* One page \*\/\nexport type Page = \{\n {2}state: "new" \| "old"\n/)
  assert.match(types, /"x-size"\?: number \| null \| undefined\n {2}links\?: Array<Page> \| undefined\n/)
  assert.match(types, /'PUT \/pages\/\{id\}': \{\n {4}path: \{\n {6}id: string\n {4}\}\n {4}query: undefined/)
  assert.match(types, /body: FormData \| undefined\n {4}response: unknown/)
})
