import type { SourceType } from '../connector.ts'
import { refuse, type WikiConfig, wikiSchema } from './config.ts'

export const wiki: SourceType = {
  kind: 'source',
  type: 'wiki',
  aliases: ['confluence'],
  title: 'Wiki (Confluence)',
  schema: wikiSchema,
  fieldAliases: { api_token: 'token' },
  addressFields: ['url'],
  refuse,
  open: async (config: WikiConfig, context) => (await import('./source.ts')).openWiki(config, context),
}
