import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allShortened, implied, withoutMovedScopes } from './dependent-values.ts'
import { followingMode, type Mode } from './modes.ts'
import { fieldsOf } from './schema.ts'

const fields = fieldsOf({
  properties: {
    url: {
      type: 'string',
      shortens: [{ pattern: '^(https://[^/]+)/room/(\\w+)', value: '$1', scope: '$2' }],
      implies: [
        { pattern: '^https://[^/]+\\.hosted\\.example', values: { cloud: true } },
        { pattern: '^https://', values: { cloud: false } },
      ],
    },
    cloud: { type: 'boolean', choices: { true: 'Hosted', false: 'Own' } },
    rooms: { type: 'array', widget: 'scopes' },
  },
})
const [url] = fields

describe('values that follow from an address', () => {
  test('it fills in the scope of the address, unless one is chosen', () => {
    const values = { url: 'https://a.example/room/ENG/x', cloud: false, rooms: [] }
    assert.deepEqual(allShortened(fields, values), { url: 'https://a.example', rooms: ['ENG'] })
    assert.deepEqual(allShortened(fields, { ...values, rooms: ['HR'] }), { url: 'https://a.example' })
    assert.deepEqual(allShortened(fields, values, 'rooms'), {})
  })

  test('it drops the scopes of another host', () => {
    const moved = (to: string, from: string) => withoutMovedScopes(fields, { url: to, rooms: ['ENG'] }, from)
    assert.deepEqual(moved('https://b.example', 'a.example'), { rooms: [] })
    assert.deepEqual(moved('https://A.example/room/HR', 'a.example'), {})
    assert.deepEqual(moved('https://a.example', ''), {})
  })

  test('it follows the address only when another pattern matches', () => {
    const at = (before: string, after: string) => implied(url!, after, { url: before })
    assert.deepEqual(at('', 'https://a.hosted.example'), { cloud: true })
    assert.deepEqual(at('https://a.hosted.example', 'https://a.hosted.example/x'), {})
    assert.deepEqual(at('https://a.hosted.example', 'https://a.example'), { cloud: false })
    assert.deepEqual(at('https://a.example', ''), {})
  })
})

describe('the mode that follows from other fields', () => {
  const mode = (id: string, more: Partial<Mode>): Mode => ({
    id,
    title: id,
    description: '',
    fields: [],
    ...more,
  })
  const modes = [
    mode('key', { usual_for: { cloud: true } }),
    mode('token', { usual_for: { cloud: false }, fixed: { cloud: false } }),
    mode('password', {}),
  ]
  const following = (now: string, isChosen: boolean, cloud: boolean) =>
    followingMode(modes, { mode: now, isChosen }, { cloud })

  test('it is the usual one until a person chooses another', () => {
    assert.equal(following('key', false, false), 'token')
    assert.equal(following('token', false, true), 'key')
    assert.equal(following('password', true, true), 'password')
    assert.equal(following('key', true, false), 'key')
  })

  test('it changes if the chosen one does not fit', () => {
    assert.equal(following('token', true, true), 'key')
    assert.equal(followingMode([], { mode: '', isChosen: false }, {}), '')
  })
})
