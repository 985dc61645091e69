import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldsIn, type Modes, modeOf } from './modes.ts'
import { fieldsOf, type ObjectSchema } from './schema.ts'
import { atFields, initialValues, payloadOf, problemsOf, storedSecrets } from './values.ts'

const schema: ObjectSchema = {
  required: ['url', 'key'],
  properties: {
    most: { type: 'integer', title: 'Most', default: 500, 'x-advanced': true, 'x-order': 5 },
    url: { type: 'string', title: 'Address', examples: ['https://a.example'], 'x-order': 0 },
    key: { type: 'string', title: 'Key', 'x-secret': true, 'x-order': 1 },
    spaces: { type: 'array', title: 'Spaces', default: [], examples: [['A', 'B']], 'x-order': 2 },
    cloud: { type: 'boolean', title: 'Cloud', default: false, 'x-order': 3 },
    states: { type: 'array', items: { enum: ['current', 'archived'] }, default: ['current'], 'x-order': 4 },
  },
}
const fields = fieldsOf(schema)
const words = { missing: (title: string) => `${title}?`, noNumber: (title: string) => `${title} no number` }

describe('a form drawn from a schema', () => {
  test('asks in the order of the schema, each field by its kind', () => {
    assert.deepEqual(
      fields.map(({ name, kind }) => `${name} ${kind}`),
      ['url text', 'key secret', 'spaces list', 'cloud flag', 'states choices', 'most number'],
    )
    assert.equal(fields[2]?.placeholder, 'A, B')
    assert.deepEqual(fields[4]?.options, ['current', 'archived'])
    assert.equal(fields[5]?.advanced, true)
  })

  test('begins with what is stored, else the defaults, and never with a secret', () => {
    const stored = { url: 'https://b.example', key: '**********', spaces: null, most: 7 }
    assert.deepEqual(initialValues(fields, stored), {
      url: 'https://b.example',
      key: '',
      spaces: [],
      cloud: false,
      states: ['current'],
      most: 7,
    })
    assert.deepEqual(storedSecrets(fields, stored), ['key'])
    assert.deepEqual(storedSecrets(fields, {}), [])
  })

  test('sends what was filled in and leaves out what was not', () => {
    const values = { ...initialValues(fields), url: ' https://a.example ', most: '' }
    assert.deepEqual(payloadOf(fields, values), {
      url: 'https://a.example',
      cloud: false,
      states: ['current'],
    })
  })

  test('misses a required field, but not a secret that is stored', () => {
    const values = { ...initialValues(fields), most: '12x' }
    assert.deepEqual(problemsOf(fields, values, { kept: [], words }), {
      url: 'Address?',
      key: 'Key?',
      most: 'Most no number',
    })
    assert.deepEqual(Object.keys(problemsOf(fields, values, { kept: ['key'], words })), ['url', 'most'])
  })

  test('brings what is said of an entry to the field of the list, and keeps what has no field', () => {
    assert.deepEqual(atFields({ 'config.spaces.1': 'no', 'config.more': 'unknown' }, ['config.spaces']), {
      'config.spaces': 'no',
      'config.more': 'unknown',
    })
  })
})

describe('a choice of modes', () => {
  const modes: Modes = {
    label: 'Sign in',
    options: [
      { value: 'both', label: 'Both', shows: ['user', 'token'] },
      {
        value: 'alone',
        label: 'Alone',
        shows: ['token'],
        titles: { token: 'Own token' },
        fixed: { cloud: false },
      },
      { value: 'password', label: 'Password', shows: ['user', 'password'] },
    ],
  }
  const all = fieldsOf({
    properties: {
      user: { type: 'string' },
      token: { 'x-secret': true },
      password: { 'x-secret': true },
      cloud: { type: 'boolean' },
      other: { type: 'string' },
    },
  })

  test('shows just the fields of the mode, needed and under its names', () => {
    const shown = fieldsIn(all, modes, 'alone')
    assert.deepEqual(
      shown.map(({ name, title, required }) => [name, title, required]),
      [
        ['token', 'Own token', true],
        ['other', 'other', false],
      ],
    )
    assert.deepEqual(
      fieldsIn(all, modes, 'password').map(({ name }) => name),
      ['user', 'password', 'cloud', 'other'],
    )
  })

  test('recognises the mode that is stored', () => {
    assert.equal(modeOf(modes, { user: 'a', token: '**********' }), 'both')
    assert.equal(modeOf(modes, { user: null, token: '**********' }), 'alone')
    assert.equal(modeOf(modes, { user: 'a', password: '**********' }), 'password')
    assert.equal(modeOf(modes, {}), 'both')
  })
})
