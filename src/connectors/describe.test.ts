import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { z } from 'zod'
import { AppError, type FieldError } from '../errors.ts'
import {
  type Described,
  jsonSchema,
  MASK,
  mask,
  mergeUpdate,
  parseConfig,
  type Stored,
  secretFields,
  splitSecrets,
} from './describe.ts'
import { createEgress } from './egress/guard.ts'

const egress = createEgress()
after(() => egress.close())

/** Two sign-in modes, of which exactly one is used, as in a wiki. */
const kiosk: Described = {
  type: 'kiosk',
  schema: z
    .strictObject({
      url: z.string().meta({ title: 'URL' }),
      mirrors: z.array(z.string()).min(1).optional(),
      limit: z.int().min(1).default(500).meta({ title: 'Limit', advanced: true }),
      open: z.boolean().default(false),
      user: z.string().optional(),
      token: z.string().meta({ secret: true, title: 'Token' }).optional(),
      password: z.string().optional().meta({ secret: true }),
    })
    .check((context) => {
      if (Boolean(context.value.token) === Boolean(context.value.password)) {
        context.issues.push({ code: 'custom', message: 'token or password', path: ['token'], input: '' })
      }
    })
    .refine((config) => config.user !== 'nobody', { message: 'not this one', path: ['user'] }),
  fieldAliases: { api_token: 'token', server: 'url' },
  addressFields: ['url', 'mirrors'],
  refuse(config: { url: string }) {
    const refusal = egress.refusal(new URL(config.url))
    return refusal ? [{ field: 'url', msg: refusal }] : []
  },
}

const base = { url: 'https://kiosk.example', token: 'tok-1' }
const parse = (input: unknown) => parseConfig(kiosk, input, { egress })
const store = (input: unknown): Stored => {
  const { config, wireNames } = parse(input)
  return { ...splitSecrets(kiosk, config), wireNames }
}
const update = (stored: Stored, input: unknown) => mergeUpdate(kiosk, stored, { input, egress })

function fieldsOf(act: () => unknown): FieldError[] {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'invalid_request')
    return error.fields ?? []
  }
  return assert.fail('nothing was refused')
}
const short = (fields: FieldError[]) => fields.map(({ loc, type }) => `${loc.join('.')} ${type}`)

describe('reading a config', () => {
  test('fills in defaults', () => {
    assert.deepEqual(parse(base), { config: { ...base, limit: 500, open: false }, wireNames: {} })
  })

  test('treats null, an empty string and an empty list as absent', () => {
    const empty = { password: null, user: '', mirrors: [], limit: null, oauth_token: null }
    assert.deepEqual(parse({ ...base, ...empty }), parse(base))
    assert.deepEqual(short(fieldsOf(() => parse({ ...base, url: '' }))), ['body.config.url missing'])
  })

  test('limits the length of secrets, under the given name', () => {
    const long = 'x'.repeat(4097)
    const fields = fieldsOf(() => parse({ url: base.url, api_token: long, user: long }))
    assert.deepEqual(short(fields), ['body.config.api_token string_too_long'])
    assert.match(fields[0]?.msg ?? '', /4,096 characters/)
    assert.doesNotMatch(JSON.stringify(fields), /xxx/)
    assert.deepEqual(short(fieldsOf(() => update(store(base), { token: long, url: base.url }))), [
      'body.config.token string_too_long',
    ])
    assert.equal(parse({ ...base, token: 'x'.repeat(4096) }).config.token, 'x'.repeat(4096))
  })

  test('refuses an empty list for a field that is not a list', () => {
    const wrong = { limit: [], open: [], user: [] }
    assert.deepEqual(short(fieldsOf(() => parse({ ...base, ...wrong }))), [
      'body.config.limit float_type',
      'body.config.open bool_type',
      'body.config.user string_type',
    ])
  })

  test('reports an error for each field in the form that clients expect', () => {
    const wrong = { limit: 1.5, open: 'yes', token: 7, mirrors: 'x' }
    assert.deepEqual(short(fieldsOf(() => parse(wrong))), [
      'body.config.url missing',
      'body.config.mirrors list_type',
      'body.config.limit int_type',
      'body.config.open bool_type',
      'body.config.token string_type',
    ])
    assert.deepEqual(short(fieldsOf(() => parse({ ...base, limit: 0, mirrors: ['a', 1] }))), [
      'body.config.mirrors.1 string_type',
      'body.config.limit greater_than_equal',
    ])
    assert.deepEqual(short(fieldsOf(() => parse({ ...base, user: 'nobody' }))), [
      'body.config.user value_error',
    ])
  })

  test('refuses input that is not an object', () => {
    for (const input of [null, undefined, [], 'x', 1]) {
      assert.deepEqual(short(fieldsOf(() => parse(input))), ['body.config dict_type'])
    }
  })

  test('refuses an unknown field with the nearest known one', () => {
    const [field] = fieldsOf(() => parse({ ...base, limt: 5 }))
    assert.deepEqual(field, {
      loc: ['body', 'config', 'limt'],
      msg: 'unknown field "limt"; did you mean "limit"?',
      type: 'extra_forbidden',
    })
    const far = fieldsOf(() => parse({ ...base, completely_else: 5 }))[0]
    assert.match(far?.msg ?? '', /the known ones are url, mirrors, .*api_token/)
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const input = JSON.parse(`{"url":"https://kiosk.example","token":"t","${name}":{"x":1}}`)
      assert.deepEqual(short(fieldsOf(() => parse(input))), [`body.config.${name} extra_forbidden`])
    }
  })

  test('reports all errors at once, and in one line', () => {
    assert.throws(() => parse({ limt: 1, token: 'a' }), {
      message:
        'reading the config of kiosk: limt: unknown field "limt"; did you mean "limit"?; url: Field required',
    })
  })

  test('accepts field names of other systems and stores them', () => {
    const parsed = parse({ server: base.url, api_token: 'tok-1' })
    assert.deepEqual(parsed.config, parse(base).config)
    assert.deepEqual(parsed.wireNames, { url: 'server', token: 'api_token' })
  })

  test('refuses two names of one field with different values, and accepts equal values', () => {
    const [field] = fieldsOf(() => parse({ ...base, api_token: 'tok-2' }))
    assert.deepEqual(field?.loc, ['body', 'config', 'api_token'])
    assert.match(field?.msg ?? '', /api_token and token/)
    assert.doesNotMatch(field?.msg ?? '', /tok-/)
    assert.equal(parse({ ...base, api_token: 'tok-1' }).config.token, 'tok-1')
  })

  test('reports a field under the name it was given', () => {
    assert.deepEqual(short(fieldsOf(() => parse({ server: 5, token: 'a' }))), [
      'body.config.server string_type',
    ])
  })

  test('applies the rules of the service operator', () => {
    const fields = fieldsOf(() => parse({ server: 'https://127.0.0.1', token: 'a' }))
    assert.deepEqual(short(fields), ['body.config.server value_error'])
  })

  test('refuses the mask as a secret', () => {
    assert.deepEqual(short(fieldsOf(() => parse({ ...base, token: MASK }))), [
      'body.config.token value_error',
    ])
  })
})

describe('secrets of a config', () => {
  test('are found through every wrapper', () => {
    assert.deepEqual(secretFields(kiosk), ['token', 'password'])
    const wrapped = z.preprocess((value) => value, z.strictObject({ key: z.string().meta({ secret: true }) }))
    assert.deepEqual(secretFields({ schema: wrapped.readonly() }), ['key'])
  })

  test('are separated and replaced by the mask', () => {
    const { plain, secrets } = splitSecrets(kiosk, parse(base).config)
    assert.deepEqual(secrets, { token: 'tok-1' })
    assert.equal(plain.token, MASK)
    assert.ok(!('password' in plain))
  })

  test('are masked in a response, under the given names', () => {
    const stored = store({ server: base.url, api_token: 'tok-1' })
    const answer = { server: base.url, mirrors: null, limit: 500, open: false, user: null, api_token: MASK }
    assert.deepEqual(mask(kiosk, stored.plain, { names: stored.wireNames }), answer)
    assert.deepEqual(mask(kiosk, { ...stored.plain, ...stored.secrets }, { names: stored.wireNames }), answer)
  })
})

describe('updating a config', () => {
  const stored = store({ ...base, user: 'ada' })

  test('keeps a secret that is left out or sent back as the mask', () => {
    for (const input of [
      { url: base.url },
      { url: base.url, token: MASK },
      { url: base.url, api_token: MASK },
    ]) {
      const { config } = update(stored, input)
      assert.equal(config.token, 'tok-1')
      assert.equal(config.user, undefined, 'everything else is sent again or goes back to its default')
    }
  })

  test('accepts its own response unchanged', () => {
    const again = update(stored, mask(kiosk, stored.plain, { names: stored.wireNames }))
    assert.deepEqual(again, { config: parse({ ...base, user: 'ada' }).config, wireNames: {} })
  })

  test('replaces a secret that is sent', () => {
    assert.equal(update(stored, { ...base, token: 'tok-2' }).config.token, 'tok-2')
  })

  test('requires the secret again if scheme, host or port change', () => {
    for (const url of ['http://kiosk.example', 'https://evil.example', 'https://kiosk.example:8443']) {
      for (const token of [undefined, MASK]) {
        const fields = fieldsOf(() => update(stored, { url, token }))
        assert.deepEqual(short(fields).at(-1), 'body.config.token missing', url)
        assert.match(fields.at(-1)?.msg ?? '', /url has a new address/)
      }
    }
    assert.equal(update(stored, { url: 'https://evil.example', token: 'new' }).config.token, 'new')
  })

  test('keeps the secret when the same address is written differently', () => {
    for (const url of ['https://kiosk.example/wiki', 'https://KIOSK.example:443/']) {
      assert.equal(update(stored, { url }).config.token, 'tok-1')
    }
  })

  test('checks each of several addresses', () => {
    const several = store({ ...base, mirrors: ['https://a.example', 'https://b.example'] })
    assert.equal(update(several, { url: base.url, mirrors: ['https://b.example'] }).config.token, 'tok-1')
    const fields = fieldsOf(() => update(several, { url: base.url, mirrors: ['https://c.example'] }))
    assert.deepEqual(short(fields), ['body.config.token missing'])
  })

  test('drops the stored secret of another sign-in mode', () => {
    const { config } = update(stored, { url: base.url, password: 'pw' })
    assert.equal(config.password, 'pw')
    assert.ok(!('token' in config))
    const moved = update(stored, { url: 'https://new.example', password: 'pw' })
    assert.ok(!('token' in moved.config))
  })

  test('keeps the other secret of a connector that needs both', () => {
    const both: Described = {
      type: 'both',
      schema: z.strictObject({
        url: z.string(),
        id: z.string().meta({ secret: true }),
        key: z.string().meta({ secret: true }),
      }),
      fieldAliases: {},
      addressFields: ['url'],
      refuse: () => [],
    }
    const before = {
      plain: { url: 'https://a.example', id: MASK, key: MASK },
      secrets: { id: 'i', key: 'k' },
    }
    const after = mergeUpdate(
      both,
      { ...before, wireNames: {} },
      { input: { url: 'https://a.example', key: 'n' }, egress },
    )
    assert.deepEqual(after.config, { url: 'https://a.example', id: 'i', key: 'n' })
  })

  test('refuses the mask for a secret that is not stored', () => {
    const fields = fieldsOf(() => update(stored, { url: base.url, password: MASK }))
    assert.ok(short(fields).includes('body.config.password value_error'))
  })

  test('keeps the field names given at creation', () => {
    const aliased = store({ ...base, token: undefined, api_token: 'tok-1' })
    assert.deepEqual(update(aliased, { ...base, token: 'tok-2' }).wireNames, { token: 'api_token' })
    assert.deepEqual(update(stored, { url: base.url, api_token: 'tok-2' }).wireNames, {})
  })
})

describe('the JSON Schema of a config', () => {
  const schema = jsonSchema(kiosk) as {
    properties: Record<string, Record<string, unknown>>
    required: string[]
  }

  test('marks secrets, advanced fields and the order', () => {
    assert.deepEqual(schema.required, ['url'])
    assert.deepEqual(schema.properties.url, { type: 'string', title: 'URL', 'x-order': 0 })
    assert.deepEqual(schema.properties.limit, {
      type: 'integer',
      title: 'Limit',
      default: 500,
      minimum: 1,
      'x-advanced': true,
      'x-order': 2,
    })
    for (const name of ['token', 'password']) {
      assert.equal(schema.properties[name]?.writeOnly, true)
      assert.equal(schema.properties[name]?.['x-secret'], true)
      assert.ok(!('secret' in (schema.properties[name] ?? {})))
    }
    assert.equal(schema.properties.password?.['x-order'], 6)
  })

  test('is plain JSON', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema)
  })
})
