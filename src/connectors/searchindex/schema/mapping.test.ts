import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { elasticsearch } from '../engines/elasticsearch.ts'
import type { IndexSettings } from '../engines/engine.ts'
import { opensearch } from '../engines/opensearch.ts'
import { type ExpectedDims, lacksVectorSupport, planSchema, searchableDims } from './mapping.ts'
import {
  ACCESS,
  creationBodyFor,
  fieldsFor,
  type Mapping,
  nest,
  PERMISSION_FIELDS,
  PERMISSIONS,
  schemaFor,
} from './schema.ts'

const withPermissions = (more: Record<string, object>): Mapping =>
  ({ properties: nest({ ...PERMISSION_FIELDS, ...more } as typeof PERMISSION_FIELDS) }) as Mapping

const found = (mapping: Mapping) => ({ mapping, engine: elasticsearch, settings: {} })
const plan = (mapping: Mapping, width: ExpectedDims) => planSchema(found(mapping), width)

describe('the plan for a schema', () => {
  test('is the whole schema for an empty index, with vectors only if needed', () => {
    const planned = plan({}, 384)
    assert.deepEqual(planned.problems, [])
    assert.deepEqual(planned.add?.properties?.embeddings, {
      type: 'dense_vector',
      dims: 384,
      index: true,
      similarity: 'cosine',
    })
    assert.equal(plan({}, null).add?.properties?.embeddings, undefined)
  })

  test('adds nothing to a complete schema', () => {
    const planned = plan(schemaFor(384, elasticsearch), 384)
    assert.deepEqual(planned, { problems: [], add: null, required: [] })
  })

  test('has subfields for languages only with their analyzers, and leaves an existing text field as it is', () => {
    const { settings, mappings } = creationBodyFor(null, elasticsearch)
    const index = { mapping: {}, engine: elasticsearch, settings: settings.index }
    assert.deepEqual(planSchema(index, null).add, mappings)
    assert.deepEqual(Object.keys(mappings.properties?.text?.fields ?? {}), ['languages', 'pairs'])
    assert.equal(plan({}, null).add?.properties?.text?.fields, undefined)
    const text = { ...index, mapping: withPermissions({ text: { type: 'text' } }) }
    assert.equal(planSchema(text, null).add?.properties?.text, undefined)
  })

  test('adds missing permission fields', () => {
    const planned = plan({ properties: { text: { type: 'text' } } }, null)
    assert.deepEqual(planned.problems, [])
    assert.deepEqual(planned.required.sort(), Object.keys(PERMISSION_FIELDS).sort())
  })

  test('refuses permissions that would be split, folded or dropped', () => {
    const fields = [
      { type: 'text' },
      { type: 'keyword', normalizer: 'lower' },
      { type: 'keyword', ignore_above: 256 },
    ]
    for (const field of fields) {
      assert.equal(plan(withPermissions({ [`${ACCESS}.c1`]: field }), null).problems.length, 1, field.type)
    }
    assert.match(plan({ properties: { metadata: { type: 'nested' } } }, null).problems[0] ?? '', /metadata/)
    assert.match(
      plan({ properties: { metadata: { type: 'flattened' } } }, null).problems[0] ?? '',
      /metadata/,
    )
  })

  test('accepts update and delete lists that are indexed or not, and only indexed lists of readers', () => {
    const stored = { type: 'keyword', index: false, doc_values: false }
    const problems = (path: string, field: object) => plan(withPermissions({ [path]: field }), null).problems
    for (const field of [stored, { type: 'keyword' }]) {
      assert.deepEqual(problems(`${PERMISSIONS}.update.users`, field), [])
      assert.deepEqual(problems(`${PERMISSIONS}.delete.groups`, field), [])
    }
    for (const path of [`${PERMISSIONS}.read.users`, `${ACCESS}.c0`, `${ACCESS}.c7`])
      assert.deepEqual(problems(path, stored), [`${path} cannot be searched`])
    assert.match(problems(`${PERMISSIONS}.update.users`, { type: 'text' })[0] ?? '', /must be keyword/)
  })

  test('refuses an index that does not store complete documents, with a schema or without', () => {
    const kept = [{ excludes: ['embeddings'] }, { includes: ['text'] }, { enabled: false }]
    for (const _source of [...kept, { mode: 'synthetic' as const }]) {
      assert.match(plan({ _source }, 384).problems[0] ?? '', /_source/)
      assert.match(plan({ ...schemaFor(384, elasticsearch), _source }, 384).problems[0] ?? '', /_source/)
    }
    assert.deepEqual(plan({ ...schemaFor(384, elasticsearch), _source: { enabled: true } }, 384).problems, [])
  })

  test('refuses an index whose settings drop parts of documents, whatever its mapping says', () => {
    const plannedWith = (settings: IndexSettings, mapping: Mapping = schemaFor(384, elasticsearch)) =>
      planSchema({ mapping, settings, engine: elasticsearch }, 384).problems
    const set = (mode: string) => ({ mapping: { source: { mode } } })
    assert.match(plannedWith(set('synthetic'))[0] ?? '', /synthetic \(index\.mapping\.source\.mode\)/)
    assert.match(plannedWith(set('synthetic'), {})[0] ?? '', /synthetic/)
    assert.match(plannedWith(set('disabled'))[0] ?? '', /does not store complete documents/)
    assert.match(plannedWith({ mode: 'logsdb' })[0] ?? '', /synthetic \(index\.mode\)/)
    assert.deepEqual(plannedWith(set('stored')), [])
    assert.deepEqual(plannedWith({ mode: 'logsdb', ...set('stored') }), [])
    assert.deepEqual(plannedWith({ mode: 'standard' }), [])
  })

  test('refuses vectors of another dimension and names both', () => {
    const [problem] = plan(withPermissions({ embeddings: { type: 'dense_vector', dims: 768 } }), 384).problems
    assert.match(problem ?? '', /768.*384/)
    assert.equal(plan(withPermissions({ embeddings: { type: 'dense_vector' } }), 384).problems.length, 1)
    assert.equal(plan(withPermissions({ embeddings: { type: 'float' } }), 384).problems.length, 1)
    assert.deepEqual(plan(withPermissions({ embeddings: { type: 'float' } }), null).problems, [])
  })

  test('refuses a strict mapping at the level where it would refuse, but adds permissions to one', () => {
    const strict: Mapping = { dynamic: 'strict', properties: { text: { type: 'text' } } }
    assert.match(plan(strict, null).problems[0] ?? '', /strict.*record_id, element_id, type and/)
    const inner: Mapping = { properties: { metadata: { dynamic: 'strict', properties: {} } } }
    assert.match(plan(inner, null).problems[0] ?? '', /strict.*metadata\.filename/)
    const others = Object.entries(fieldsFor(null, elasticsearch)).filter(
      ([path]) => !(path in PERMISSION_FIELDS),
    )
    const full: Mapping = { dynamic: 'strict', properties: nest(Object.fromEntries(others)) }
    assert.deepEqual(plan(full, null).problems, [])
    assert.equal(plan(full, null).required.length, Object.keys(PERMISSION_FIELDS).length)
  })

  test('refuses a type that cannot hold what is written', () => {
    assert.match(
      plan(withPermissions({ record_id: { type: 'long' } }), null).problems[0] ?? '',
      /record_id.*long/,
    )
    assert.deepEqual(plan(withPermissions({ record_id: { type: 'keyword' } }), null).problems, [])
  })

  test('reports a dimension only for searchable vectors', () => {
    assert.equal(searchableDims(found(schemaFor(384, elasticsearch))), 384)
    assert.equal(
      searchableDims(found({ properties: { embeddings: { type: 'dense_vector', dims: 4, index: false } } })),
      null,
    )
    assert.equal(searchableDims(found({})), null)
  })

  test('names every conflict with its field, not only the first', () => {
    const { problems } = plan(
      withPermissions({
        record_id: { type: 'long' },
        text: { type: 'date' },
        embeddings: { type: 'dense_vector', dims: 8 },
        [`${ACCESS}.c1`]: { type: 'text' },
      }),
      4,
    )
    for (const part of [/^record_id /, /^text /, /^embeddings /, /access\.c1 is mapped as text/])
      assert.ok(
        problems.some((problem) => part.test(problem)),
        `${part}`,
      )
    assert.equal(problems.length, 4)
  })

  test('refuses fields that would replace the permission lists', () => {
    const c0 = `${ACCESS}.c0`
    assert.match(plan({ runtime: { [c0]: { type: 'keyword' } } }, null).problems[0] ?? '', /c0 is computed/)
    assert.match(plan({ derived: { [c0]: { type: 'keyword' } } }, null).problems[0] ?? '', /c0 is computed/)
    const copied = withPermissions({ type: { type: 'keyword', copy_to: [c0] } })
    assert.match(plan(copied, null).problems[0] ?? '', /^type is copied into .*c0/)
    const filled = withPermissions({ [c0]: { type: 'keyword', null_value: 'class:anonymous-users' } })
    assert.match(plan(filled, null).problems[0] ?? '', /null_value/)
    assert.match(plan({ enabled: false }, null).problems[0] ?? '', /switched off/)
    assert.deepEqual(plan({ runtime: { day: { type: 'keyword' } } }, null).problems, [])
  })
})

describe('the plan for a schema of OpenSearch', () => {
  const inOpenSearch = (mapping: Mapping, knn: boolean, width: ExpectedDims) =>
    planSchema(
      { mapping, engine: opensearch, settings: knn ? { knn: 'true' } : ({} satisfies IndexSettings) },
      width,
    )

  test('maps vectors for its own vector search', () => {
    assert.deepEqual(inOpenSearch({}, true, 384).add?.properties?.embeddings, {
      type: 'knn_vector',
      dimension: 384,
      method: {
        name: 'hnsw',
        engine: 'lucene',
        space_type: 'cosinesimil',
        parameters: { m: 16, ef_construction: 100 },
      },
    })
    const again = inOpenSearch(schemaFor(384, opensearch), true, 384)
    assert.deepEqual(again, { problems: [], add: null, required: [] })
    assert.match(inOpenSearch(schemaFor(8, opensearch), true, 384).problems[0] ?? '', /8 dimensions.*384/)
    const dense = { properties: { embeddings: { type: 'dense_vector', dims: 384 } } }
    assert.match(inOpenSearch(dense, true, 384).problems[0] ?? '', /dense_vector, not as knn_vector/)
  })

  test('refuses only vectors if the index was created without index.knn', () => {
    assert.match(inOpenSearch({}, false, 384).problems[0] ?? '', /index\.knn/)
    assert.deepEqual(inOpenSearch({}, false, null).problems, [])
    assert.deepEqual(inOpenSearch({}, false, 'unknown').problems, [])
    const empty = { mapping: {}, engine: opensearch, settings: {} }
    assert.equal(lacksVectorSupport(empty), true)
    assert.equal(lacksVectorSupport({ ...empty, settings: { knn: true } }), false)
    const stored = { properties: { embeddings: { type: 'knn_vector', dimension: 384 } } }
    assert.equal(searchableDims({ ...empty, mapping: stored }), null)
    assert.equal(searchableDims({ ...empty, mapping: stored, settings: { knn: 'true' } }), 384)
  })
})
