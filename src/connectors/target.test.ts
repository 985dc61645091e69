import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MASK } from './describe.ts'
import { createRegistry, localConnectors, type Registry, serviceConnectors } from './registry.ts'
import { readerChange, targetHash } from './target.ts'
import type { DestinationType, SourceType } from './type.ts'

type Named = [type: string, config: Record<string, unknown>]

function hash(registry: Registry, source: Named, destination: Named): string {
  return targetHash(
    { type: registry.source(source[0])!, config: source[1] },
    { type: registry.destination(destination[0])!, config: destination[1] },
  )
}

describe('the hash of a target', () => {
  const cloud: Named = ['wiki', { url: 'https://Acme.atlassian.net/wiki/', token: MASK }]
  const bare: Named = ['wiki', { url: 'https://acme.atlassian.net' }]
  const dataCenter: Named = ['wiki', { url: 'https://wiki.acme.example/confluence' }]
  const hosts = ['https://b.es.io:9243/', 'https://a.found.io/wiki']
  const two: Named = ['searchindex', { hosts, index_name: 'pages' }]
  const turned: Named = ['searchindex', { hosts: hosts.toReversed(), index_name: 'pages' }]
  const one: Named = ['searchindex', { hosts: 'https://a.found.io', index_name: 'pages' }]
  const inService = (source: Named, destination: Named) => hash(serviceConnectors, source, destination)

  test('is the same for all ways to write an address', () => {
    assert.equal(inService(cloud, two), inService(bare, two))
    assert.equal(inService(cloud, two), inService(cloud, turned))
  })

  test('differs for every two wikis and indexes', () => {
    const all = [bare, dataCenter].flatMap((source) => [one, two].map((into) => inService(source, into)))
    assert.equal(new Set(all).size, 4)
  })

  test('differs on the command line for every way to name a cluster, and for a folder', () => {
    const own: Named = ['searchindex', { hosts: ['https://localhost:9200'], index_name: 'pages' }]
    const byId: Named = ['searchindex', { cloud_id: 'dep:ZXUuZm91bmQuaW8kYWJjJGRlZg==', index_name: 'pages' }]
    const folder: Named = ['folder', { path: '/tmp/elements' }]
    const into = [own, byId, folder]
    const all = [bare, dataCenter].flatMap((source) =>
      into.map((each) => hash(localConnectors, source, each)),
    )
    assert.equal(new Set(all).size, 6)
  })
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
