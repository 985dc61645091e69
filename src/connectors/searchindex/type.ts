import type { DestinationType } from '../type.ts'
import { refuseHosts, type SearchIndexConfig, searchIndexConfig } from './config.ts'
import { searchIndexInGerman } from './german.ts'
import { searchIndexSetup } from './setup.ts'

export const searchindex: DestinationType = {
  kind: 'destination',
  type: 'searchindex',
  aliases: ['elasticsearch'],
  title: 'Search index',
  about:
    'An Elasticsearch index in Elastic Cloud, or one of an Elasticsearch or OpenSearch cluster that the service operator allows.',
  systems: ['Elasticsearch', 'OpenSearch'],
  icon: 'database-search',
  docs: 'docs/connectors/searchindex.md',
  jobExample: `hosts: [https://localhost:9200]
search_api_key: \${SEARCH_KEY}
index_name: pages`,
  translations: { de: searchIndexInGerman },
  terms: { system: 'search cluster', scope: 'index', document: 'element' },
  capabilities: ['search', 'inspect', 'swap', 'control', 'create'],
  setup: searchIndexSetup,
  schema: searchIndexConfig,
  fieldAliases: { es_api_key: 'search_api_key' },
  identity: ({ hosts, index_name }: SearchIndexConfig) =>
    JSON.stringify([[hosts].flat().map(addressOf).sort(), index_name]),
  indexAddresses: ({ hosts, index_name }: SearchIndexConfig, index = index_name) =>
    [hosts].flat().map((host) => JSON.stringify([URL.parse(host)?.host ?? host, index])),
  addressFields: ['hosts'],
  locationFields: ['hosts', 'index_name'],
  stepFields: { reach: ['hosts'], key: ['search_api_key'], index: ['index_name'] },
  refuse: refuseHosts,
  open: async (config: SearchIndexConfig, context) =>
    (await import('./destination.ts')).openSearchIndex(config, context),
}

/** Drops a path of `/wiki`, as stored hashes do. */
function addressOf(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.host}${url.pathname.replace(/\/(wiki\/?)?$/, '')}` : text
}
