import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planSchema, searchableDims } from './mapping.ts'
import { ACCESS, fieldsFor, type Mapping, nest, PERMISSION_FIELDS, schemaFor } from './schema.ts'

const withPermissions = (more: Record<string, object>): Mapping =>
  ({ properties: nest({ ...PERMISSION_FIELDS, ...more } as typeof PERMISSION_FIELDS) }) as Mapping

describe('the plan for a schema', () => {
  test('is the whole schema for an index without one, with vectors only where they will come', () => {
    const plan = planSchema({}, 384)
    assert.deepEqual(plan.problems, [])
    assert.deepEqual(plan.add?.properties?.embeddings, {
      type: 'dense_vector',
      dims: 384,
      index: true,
      similarity: 'cosine',
    })
    assert.equal(planSchema({}, null).add?.properties?.embeddings, undefined)
  })

  test('adds nothing where everything is there', () => {
    const plan = planSchema(schemaFor(384), 384)
    assert.deepEqual(plan, { problems: [], add: null, required: [] })
  })

  test('adds the permission fields to a schema that came without them', () => {
    const plan = planSchema({ properties: { text: { type: 'text' } } }, null)
    assert.deepEqual(plan.problems, [])
    assert.deepEqual(plan.required.sort(), Object.keys(PERMISSION_FIELDS).sort())
  })

  test('refuses permissions that would be split, folded or dropped', () => {
    const fields = [
      { type: 'text' },
      { type: 'keyword', normalizer: 'lower' },
      { type: 'keyword', ignore_above: 256 },
    ]
    for (const field of fields) {
      assert.equal(
        planSchema(withPermissions({ [`${ACCESS}.c1`]: field }), null).problems.length,
        1,
        field.type,
      )
    }
    assert.match(
      planSchema({ properties: { metadata: { type: 'nested' } } }, null).problems[0] ?? '',
      /metadata/,
    )
    assert.match(
      planSchema({ properties: { metadata: { type: 'flattened' } } }, null).problems[0] ?? '',
      /metadata/,
    )
  })

  test('refuses an index that does not keep documents whole, with a schema or without', () => {
    const kept = [{ excludes: ['embeddings'] }, { includes: ['text'] }, { enabled: false }]
    for (const _source of [...kept, { mode: 'synthetic' as const }]) {
      assert.match(planSchema({ _source }, 384).problems[0] ?? '', /_source/)
      assert.match(planSchema({ ...schemaFor(384), _source }, 384).problems[0] ?? '', /_source/)
    }
    assert.deepEqual(planSchema({ ...schemaFor(384), _source: { enabled: true } }, 384).problems, [])
  })

  test('refuses vectors of another width and names both', () => {
    const [problem] = planSchema(
      withPermissions({ embeddings: { type: 'dense_vector', dims: 768 } }),
      384,
    ).problems
    assert.match(problem ?? '', /768.*384/)
    assert.equal(
      planSchema(withPermissions({ embeddings: { type: 'dense_vector' } }), 384).problems.length,
      1,
    )
    assert.equal(planSchema(withPermissions({ embeddings: { type: 'float' } }), 384).problems.length, 1)
    assert.deepEqual(planSchema(withPermissions({ embeddings: { type: 'float' } }), null).problems, [])
  })

  test('refuses a strict mapping at the level where it would refuse, but adds permissions to one', () => {
    const strict: Mapping = { dynamic: 'strict', properties: { text: { type: 'text' } } }
    assert.match(planSchema(strict, null).problems[0] ?? '', /strict.*record_id, element_id, type and/)
    const inner: Mapping = { properties: { metadata: { dynamic: 'strict', properties: {} } } }
    assert.match(planSchema(inner, null).problems[0] ?? '', /strict.*metadata\.filename/)
    const others = Object.entries(fieldsFor(null)).filter(([path]) => !(path in PERMISSION_FIELDS))
    const full: Mapping = { dynamic: 'strict', properties: nest(Object.fromEntries(others)) }
    assert.deepEqual(planSchema(full, null).problems, [])
    assert.equal(planSchema(full, null).required.length, Object.keys(PERMISSION_FIELDS).length)
  })

  test('refuses a type that cannot hold what is written', () => {
    assert.match(
      planSchema(withPermissions({ record_id: { type: 'long' } }), null).problems[0] ?? '',
      /record_id.*long/,
    )
    assert.deepEqual(planSchema(withPermissions({ record_id: { type: 'keyword' } }), null).problems, [])
  })

  test('tells the width of vectors only where they can be searched', () => {
    assert.equal(searchableDims(schemaFor(384)), 384)
    assert.equal(
      searchableDims({ properties: { embeddings: { type: 'dense_vector', dims: 4, index: false } } }),
      null,
    )
    assert.equal(searchableDims({}), null)
  })
})
