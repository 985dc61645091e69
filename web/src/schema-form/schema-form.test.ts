import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorsByField } from './form.ts'
import { fieldsIn, type Mode, modeOf } from './modes.ts'
import { fieldsOf, type ObjectSchema } from './schema.ts'
import { initialValues, payloadOf, problemsOf, storedSecrets } from './values.ts'

const schema: ObjectSchema = {
  required: ['url', 'key'],
  properties: {
    most: { type: 'integer', title: 'Most', default: 500, 'x-advanced': true, 'x-order': 5 },
    url: { type: 'string', title: 'Address', examples: ['https://a.example'], 'x-order': 0 },
    key: { type: 'string', title: 'Key', 'x-secret': true, 'x-order': 1 },
    spaces: {
      type: 'array',
      title: 'Spaces',
      default: [],
      examples: [['A', 'B']],
      widget: 'scopes',
      'x-order': 2,
    },
    cloud: { type: 'boolean', title: 'Cloud', default: false, 'x-order': 3 },
    terms: { type: 'string', title: 'Terms', widget: 'lines', 'x-order': 6 },
    states: { type: 'array', items: { enum: ['current', 'archived'] }, default: ['current'], 'x-order': 4 },
  },
}
const fields = fieldsOf(schema)
const messages = {
  missing: (title: string) => `${title}?`,
  notANumber: (title: string) => `${title} no number`,
}

describe('a form from a schema', () => {
  test('has the fields in the order of the schema, each by its kind', () => {
    assert.deepEqual(
      fields.map(({ name, kind }) => `${name} ${kind}`),
      ['url text', 'key secret', 'spaces list', 'cloud flag', 'states choices', 'most number', 'terms lines'],
    )
    assert.equal(fields[2]?.placeholder, 'A, B')
    assert.equal(fields[2]?.widget, 'scopes')
    assert.deepEqual(fields[4]?.options, ['current', 'archived'])
    assert.equal(fields[5]?.advanced, true)
  })

  test('starts with stored values, else the defaults, never with a secret', () => {
    const stored = { url: 'https://b.example', key: '**********', spaces: null, most: 7 }
    assert.deepEqual(initialValues(fields, stored), {
      url: 'https://b.example',
      key: '',
      spaces: [],
      cloud: false,
      states: ['current'],
      most: 7,
      terms: '',
    })
    assert.deepEqual(storedSecrets(fields, stored), ['key'])
    assert.deepEqual(storedSecrets(fields, {}), [])
  })

  test('sends filled fields and omits empty ones', () => {
    const values = { ...initialValues(fields), url: ' https://a.example ', most: '' }
    assert.deepEqual(payloadOf(fields, values), {
      url: 'https://a.example',
      cloud: false,
      states: ['current'],
    })
  })

  test('reports a missing field, but not a stored secret', () => {
    const values = { ...initialValues(fields), most: '12x' }
    assert.deepEqual(problemsOf(fields, values, { stored: [], messages }), {
      url: 'Address?',
      key: 'Key?',
      most: 'Most no number',
    })
    assert.deepEqual(Object.keys(problemsOf(fields, values, { stored: ['key'], messages })), ['url', 'most'])
  })

  test('shows an error of a list entry at the list, and keeps errors without a field', () => {
    assert.deepEqual(
      errorsByField({ 'config.spaces.1': 'no', 'config.more': 'unknown' }, ['config.spaces']),
      {
        'config.spaces': 'no',
        'config.more': 'unknown',
      },
    )
  })
})

describe('a choice of modes', () => {
  const modes: Mode[] = [
    { id: 'both', title: 'Both', description: '', fields: [{ name: 'user' }, { name: 'token' }] },
    {
      id: 'alone',
      title: 'Alone',
      description: '',
      fields: [{ name: 'token', title: 'Own token' }],
      fixed: { cloud: false },
    },
    { id: 'password', title: 'Password', description: '', fields: [{ name: 'user' }, { name: 'password' }] },
  ]
  const all = fieldsOf({
    properties: {
      user: { type: 'string' },
      token: { 'x-secret': true },
      password: { 'x-secret': true },
      cloud: { type: 'boolean' },
      other: { type: 'string' },
    },
  })

  test('shows only the fields of the mode, required and with its titles', () => {
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

  test('shows all fields where there are no modes', () => {
    assert.deepEqual(fieldsIn(all, [], ''), all)
  })

  test('recognises the stored mode', () => {
    assert.equal(modeOf(modes, { user: 'a', token: '**********' }), 'both')
    assert.equal(modeOf(modes, { user: null, token: '**********' }), 'alone')
    assert.equal(modeOf(modes, { user: 'a', password: '**********' }), 'password')
    assert.equal(modeOf(modes, {}), 'both')
    assert.equal(modeOf([], {}), '')
  })
})
