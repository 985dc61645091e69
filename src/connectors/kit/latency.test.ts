import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLatencies, kindOf } from './latency.ts'

const busy = (ms: number) => ({ ms, alone: false })
const alone = (ms: number) => ({ ms, alone: true })
const many = (times: number, each: () => string) => Array.from({ length: times }, each).at(-1)

describe('the latency of responses', () => {
  test('is compared only within one kind', () => {
    const { rate } = createLatencies()
    assert.equal(
      many(50, () => rate('list', busy(20))),
      'usual',
    )
    assert.equal(
      many(50, () => rate('bodies', busy(900))),
      'usual',
    )
    assert.equal(
      many(50, () => rate('list', busy(60))),
      'slow',
    )
    assert.equal(
      many(50, () => rate('list', busy(200))),
      'overloaded',
    )
  })
  test('is judged by several responses, not by one', () => {
    const { rate } = createLatencies()
    many(50, () => rate('list', busy(100)))
    assert.equal(rate('list', busy(300)), 'usual')
  })
  test('becomes usual only if it persists under low load', () => {
    const { rate } = createLatencies()
    many(50, () => rate('list', busy(100)))
    assert.equal(
      many(50, () => rate('list', busy(400))),
      'overloaded',
    )
    assert.equal(
      many(5_000, () => rate('list', busy(400))),
      'overloaded',
    )
    assert.equal(
      many(100, () => rate('list', alone(400))),
      'usual',
    )
  })
  test('is forgotten for the least recently used kinds', () => {
    const { rate } = createLatencies()
    many(50, () => rate('list', busy(20)))
    for (let i = 0; i < 64; i++) rate(`other ${i}`, busy(1))
    assert.equal(
      many(50, () => rate('list', busy(400))),
      'usual',
    )
  })
})

describe('the kind of a request', () => {
  const kind = (path: string) => kindOf('GET', new URL(`https://api.corp${path}`), ['expand', 'limit'])
  test('ignores ids', () => {
    assert.equal(kind('/api/v2/pages/123/labels?cursor=a'), kind('/api/v2/pages/456/labels?cursor=b'))
    assert.equal(kind('/rest/api/space/ENG/permissions'), kind('/rest/api/space/~joe/permissions'))
    assert.notEqual(kind('/api/v2/pages/123'), kind('/api/v2/spaces/123'))
  })
  test('keeps the requested amount', () => {
    assert.notEqual(kind('/api/v2/pages?limit=250'), kind('/api/v2/pages?limit=1'))
    assert.notEqual(kind('/rest/api/content/search?expand=body.view'), kind('/rest/api/content/search'))
  })
})
