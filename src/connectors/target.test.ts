import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DestinationType, SourceType } from './connector.ts'
import { MASK } from './describe.ts'
import { createRegistry, localConnectors, type Registry, serviceConnectors } from './registry.ts'
import { readerChange, targetHash } from './target.ts'

type Named = [type: string, config: Record<string, unknown>]

function hash(registry: Registry, source: Named, destination: Named): string {
  return targetHash(
    { type: registry.source(source[0])!, config: source[1] },
    { type: registry.destination(destination[0])!, config: destination[1] },
  )
}

/** Rows and state files hold these values: they never change. */
describe('the hash of a target stays what it was', () => {
  const cloud: Named = ['wiki', { url: 'https://Acme.atlassian.net/wiki/', token: MASK }]
  const bare: Named = ['wiki', { url: 'https://acme.atlassian.net' }]
  const dataCenter: Named = ['wiki', { url: 'https://wiki.acme.example/confluence' }]
  const hosts = ['https://b.es.io:9243/', 'https://a.found.io/wiki']
  const two: Named = ['searchindex', { hosts, index_name: 'pages' }]
  const one: Named = ['searchindex', { hosts: 'https://a.found.io', index_name: 'pages' }]
  const ofService: [Named, Named, string][] = [
    [cloud, two, '1bfe7bc303195383554bfb249392ce098f48852b719ee93593f913455bf423dc'],
    [bare, two, '1bfe7bc303195383554bfb249392ce098f48852b719ee93593f913455bf423dc'],
    [cloud, one, '9df07654ad936c196dba9b5900603c0c6381d54cb699bef3a76e3f223bcad9f7'],
    [dataCenter, two, '823e42113fc69e142a24707b82e4d650143a6a98f209f999cb8a591e26de852f'],
    [dataCenter, one, '63e90ed4ba358c4730dea81e91aebef4949e826a3bcdf2e1aa3ec398b5ee243b'],
  ]
  for (const [source, destination, expected] of ofService)
    test(`in a service: ${source[1].url} into ${destination[1].hosts}`, () =>
      assert.equal(hash(serviceConnectors, source, destination), expected))

  const site: Named = ['wiki', { url: 'https://acme.atlassian.net/wiki' }]
  const own: Named = [
    'searchindex',
    { hosts: ['https://localhost:9200', 'https://b.example'], index_name: 'pages' },
  ]
  const cloudId = `dep:${Buffer.from('eu.found.io$abc$def').toString('base64')}`
  const byId: Named = ['searchindex', { cloud_id: cloudId, index_name: 'pages' }]
  const folder: Named = ['folder', { path: '/tmp/elements' }]
  const ofCommandLine: [Named, Named, string][] = [
    [site, own, 'f643ccdd9098fe80'],
    [site, byId, '98ec55124d7b75c2'],
    [site, folder, '27277e4fd2cf513b'],
    [dataCenter, own, '967ee651a18f72b3'],
    [dataCenter, byId, 'c0c8a9f80b5f9a4b'],
    [dataCenter, folder, '13da069bb34639cb'],
  ]
  for (const [source, destination, expected] of ofCommandLine)
    test(`on the command line: ${source[1].url} into ${JSON.stringify(destination[1])}`, () =>
      assert.equal(hash(localConnectors, source, destination).slice(0, 16), expected))
})

describe('the hash of a target of other types', () => {
  const { sources, destinations } = serviceConnectors
  const base = { aliases: [], fieldAliases: {}, addressFields: [], locationFields: [] }
  const notes = { ...sources[0]!, ...base, type: 'notes', identity: identityOf('file') } as SourceType
  const lines = {
    ...destinations[0]!,
    ...base,
    type: 'lines',
    identity: identityOf('path'),
  } as DestinationType
  const others = { ...lines, type: 'others' } as DestinationType
  const registry = createRegistry({
    sources: [...sources, notes],
    destinations: [...destinations, lines, others],
  })
  const wiki: Named = ['wiki', { url: 'https://acme.atlassian.net' }]
  const index: Named = ['searchindex', { hosts: ['https://a.found.io'], index_name: 'pages' }]

  test('differs for every two targets, although they have neither hosts nor index_name', () => {
    const places = ['/a', '/b', '/a","/b', '["/a"]']
    const from = [wiki, ...places.map((file): Named => ['notes', { file }])]
    const into = [
      index,
      ...places.map((path): Named => ['lines', { path }]),
      ...places.map((path): Named => ['others', { path }]),
    ]
    const all = from.flatMap((source) => into.map((destination) => hash(registry, source, destination)))
    assert.equal(new Set(all).size, from.length * into.length)
  })
})

function identityOf(field: string): (config: Record<string, string>) => string {
  return (config) => config[field]!
}

describe('an update of a wiki source', () => {
  const cloud = { url: 'https://acme.atlassian.net', cloud: true, username: 'a@acme.example', token: MASK }
  const server = { url: 'https://wiki.acme.example/wiki', cloud: false, token: MASK }
  const cases: [string, object, object, ReturnType<typeof readerChange>][] = [
    ['a new secret', cloud, { token: 'new' }, null],
    ['other settings', cloud, { spaces: ['ENG'], extract_files: true }, null],
    ['the same address in another form', cloud, { url: 'https://ACME.atlassian.net/wiki/' }, null],
    ['another username', cloud, { username: 'b@acme.example' }, 'account_changed'],
    ['a username instead of a token alone', server, { username: 'crawler' }, 'account_changed'],
    ['another host', cloud, { url: 'https://other.atlassian.net' }, 'site_changed'],
    ['another port', server, { url: 'https://wiki.acme.example:8443/wiki' }, 'site_changed'],
    ['another path', server, { url: 'https://wiki.acme.example' }, 'site_changed'],
  ]
  for (const [name, before, change, expected] of cases)
    test(`${name}: ${expected ?? 'what was proved holds'}`, () => {
      const type = serviceConnectors.source('wiki')!
      assert.equal(readerChange(type, { ...before }, { ...before, ...change }), expected)
    })
})
