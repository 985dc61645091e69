import type { DestinationType } from '../connector.ts'
import { refuseHosts, type SearchIndexConfig, searchIndexConfig } from './config.ts'

export const searchindex: DestinationType = {
  kind: 'destination',
  type: 'searchindex',
  aliases: ['elasticsearch'],
  title: 'Search index',
  schema: searchIndexConfig,
  fieldAliases: { es_api_key: 'search_api_key' },
  addressFields: ['hosts'],
  refuse: refuseHosts,
  open: async (config: SearchIndexConfig, context) =>
    (await import('./destination.ts')).openSearchIndex(config, context),
}
