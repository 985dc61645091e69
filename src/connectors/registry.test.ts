import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { MASK, mask, mergeUpdate, parseConfig, secretFields, splitSecrets } from './describe.ts'
import { createEgress } from './egress/guard.ts'
import { createRegistry, localConnectors, serviceConnectors } from './registry.ts'
import { typeInformation } from './type-information.ts'

const { sources: sourceTypes, destinations: destinationTypes } = serviceConnectors
const findSourceType = serviceConnectors.source
const findDestinationType = serviceConnectors.destination
const connectorTypes = () => [...sourceTypes, ...destinationTypes].map((type) => typeInformation(type))

const egress = createEgress()
after(() => egress.close())

describe('the registry', () => {
  test('finds a type by its name and by the names of other systems', () => {
    assert.equal(findSourceType('wiki')?.type, 'wiki')
    assert.equal(findSourceType('confluence')?.type, 'wiki')
    assert.equal(findDestinationType('searchindex')?.type, 'searchindex')
    assert.equal(findDestinationType('elasticsearch')?.type, 'searchindex')
    assert.equal(findSourceType('searchindex'), undefined)
    assert.equal(findSourceType('constructor'), undefined)
  })

  test('refuses two sources or two destinations with one name', () => {
    for (const { sources, destinations } of [serviceConnectors, localConnectors]) {
      const [source, destination] = [sources[0]!, destinations[0]!]
      const renamed = { ...source, type: 'other', aliases: [source.type] }
      assert.throws(() => createRegistry({ sources: [...sources, renamed], destinations }), TypeError)
      const twice = [...destinations, destination]
      assert.throws(() => createRegistry({ sources, destinations: twice }), TypeError)
    }
  })

  test('describes every setting of every type', () => {
    for (const { type, schema } of connectorTypes()) {
      const properties = Object.entries(schema.properties as Record<string, Record<string, unknown>>)
      assert.ok(properties.length > 0)
      for (const [name, property] of properties) {
        assert.ok(property.title, `${type}.${name} has no title`)
        assert.ok(property.description, `${type}.${name} has no description`)
        assert.ok(property.type, `${type}.${name} has no type`)
      }
    }
  })

  test('keeps the examples of a setting', () => {
    for (const [type, name] of [
      ['wiki', 'url'],
      ['searchindex', 'hosts'],
    ] as const) {
      const schema = connectorTypes().find((connector) => connector.type === type)?.schema
      const properties = schema?.properties as Record<string, { examples?: unknown[] }>
      assert.ok((properties[name]?.examples?.length ?? 0) > 0)
    }
  })

  test('has aliases and addresses only for existing fields', () => {
    for (const connector of [...sourceTypes, ...destinationTypes]) {
      const { properties = {} } = connectorTypes().find(({ type }) => type === connector.type)?.schema ?? {}
      const fields = Object.keys(properties as object)
      for (const field of [...Object.values(connector.fieldAliases), ...connector.addressFields]) {
        assert.ok(fields.includes(field), `${connector.type} has no ${field}`)
      }
    }
  })
})

function spaceless(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

describe('what a type declares', () => {
  test('is complete: a sentence, an icon, a document, terms', () => {
    for (const { type, about, icon, docs, terms } of connectorTypes()) {
      assert.match(about, /^[A-Z].*\.$/, type)
      assert.match(icon, /^[a-z-]+$/, type)
      assert.ok(docs.startsWith('https://') || existsSync(new URL(`../../${docs}`, import.meta.url)), docs)
      for (const term of Object.values(terms)) assert.match(term, /^[a-z ]+$/, type)
    }
  })

  test('names fields that exist', () => {
    for (const { type, schema, location_fields, sign_in_modes } of connectorTypes()) {
      const known = Object.keys(schema.properties as object)
      const modes = sign_in_modes.flatMap(({ fields, fixed = {} }) => [
        ...fields.map(({ name }) => name),
        ...Object.keys(fixed),
      ])
      assert.deepEqual(
        [...location_fields, ...modes].filter((name) => !known.includes(name)),
        [],
        type,
      )
    }
  })

  test('reaches the schema: widgets, and values that follow from others', () => {
    const { schema } = connectorTypes().find(({ type }) => type === 'wiki')!
    const { url, spaces } = schema.properties as Record<string, Record<string, unknown>>
    assert.equal(spaces?.widget, 'scopes')
    const implies = url?.implies as { pattern: string; values: object }[]
    const implied = (address: string) =>
      implies.find(({ pattern }) => new RegExp(pattern, 'i').test(address))?.values
    assert.deepEqual(implied('https://Acme.Atlassian.net/wiki'), { cloud: true })
    assert.deepEqual(implied('https://wiki.acme.example/confluence'), { cloud: false })
    assert.equal(implied('acme'), undefined)
  })

  test('names credentials with the bodies of the documentation', async () => {
    for (const { type, docs, setup, schema } of connectorTypes()) {
      const page = spaceless(await readFile(new URL(`../../${docs}`, import.meta.url), 'utf8'))
      const fields = schema.properties as Record<string, { examples?: unknown[] }>
      for (const { text } of setup.flatMap(({ snippets }) => snippets)) {
        const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => String(fields[name]?.examples?.[0]))
        // The page has the method and path of a request apart from its body.
        for (const part of filled.startsWith('read:')
          ? filled.split('\n')
          : [filled.replace(/^[A-Z]+ .*\n/, '')])
          assert.ok(page.includes(spaceless(part)), `${type}: ${part}`)
      }
    }
  })

  test('names no hosted service whose hosts the settings refuse', () => {
    const { about } = findDestinationType('searchindex')!
    assert.match(about, /Elastic Cloud.*OpenSearch cluster that the service operator allows/)
  })
})

describe('a wiki source', () => {
  const wiki = findSourceType('wiki')!
  const url = 'https://acme.atlassian.net'

  test('returns its settings as created, without the secret', () => {
    const { config, wireNames } = parseConfig(
      wiki,
      {
        url,
        username: 'ada@acme.example',
        api_token: 'canary-token',
        cloud: true,
        spaces: [],
        password: null,
      },
      { egress },
    )
    const { plain } = splitSecrets(wiki, config)
    const answer = mask(wiki, plain, { names: wireNames })
    assert.equal(answer.api_token, MASK)
    assert.equal(answer.max_num_of_docs_from_each_space, 150)
    assert.ok('spaces' in answer)
    assert.doesNotMatch(JSON.stringify([plain, answer]), /canary/)
  })

  test('changes from a token to a password and back', () => {
    const token = parseConfig(wiki, { url, username: 'ada', token: 'tok-one' }, { egress })
    const stored = { ...splitSecrets(wiki, token.config), wireNames: {} }
    const password = mergeUpdate(wiki, stored, {
      input: { url, username: 'ada', password: 'pw-one' },
      egress,
    })
    assert.equal(password.config.password, 'pw-one')
    assert.equal(password.config.token, undefined)
    const again = { ...splitSecrets(wiki, password.config), wireNames: {} }
    assert.equal(
      mergeUpdate(wiki, again, { input: { url, token: 'pat' }, egress }).config.password,
      undefined,
    )
  })

  test('lists its sign-in modes', () => {
    assert.throws(() => parseConfig(wiki, { url, username: 'ada' }, { egress }), /personal access token/)
  })

  test('refuses an internal address', () => {
    assert.throws(() => parseConfig(wiki, { url: 'https://10.0.0.1', token: 'x' }, { egress }), AppError)
  })
})

describe('a search index destination', () => {
  const searchindex = findDestinationType('elasticsearch')!
  const input = {
    hosts: ['https://a.es.eu.aws.elastic-cloud.com'],
    index_name: 'wiki',
    es_api_key: 'canary-key',
  }

  test('returns its settings as created, without the secret', () => {
    const { config, wireNames } = parseConfig(searchindex, input, { egress })
    const { plain, secrets } = splitSecrets(searchindex, config)
    assert.deepEqual(secretFields(searchindex), ['search_api_key'])
    assert.deepEqual(secrets, { search_api_key: 'canary-key' })
    assert.deepEqual(mask(searchindex, plain, { names: wireNames }), { ...input, es_api_key: MASK })
  })

  test('requires a host, with the error that clients expect', () => {
    assert.throws(
      () => parseConfig(searchindex, { ...input, hosts: [] }, { egress }),
      (error: AppError) => error.fields?.[0]?.type === 'too_short',
    )
  })

  test('requires the key again for another host', () => {
    const { config, wireNames } = parseConfig(searchindex, input, { egress })
    const stored = { ...splitSecrets(searchindex, config), wireNames }
    const moved = { ...input, hosts: ['https://b.es.eu.aws.elastic-cloud.com'], es_api_key: MASK }
    assert.throws(
      () => mergeUpdate(searchindex, stored, { input: moved, egress }),
      (error: AppError) => error.fields?.[0]?.loc.at(-1) === 'es_api_key',
    )
  })
})
