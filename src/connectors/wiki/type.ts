import type { SourceType } from '../connector.ts'
import { refuse, type WikiConfig, wikiSchema } from './config.ts'
import { documentAddresses } from './page-addresses.ts'
import { signInModes } from './sign-in-modes.ts'

export const wiki: SourceType = {
  kind: 'source',
  type: 'wiki',
  aliases: ['confluence'],
  title: 'Wiki (Confluence)',
  about: 'Pages of Confluence, Cloud or Data Center, with the permissions they have there.',
  icon: 'notebook',
  docs: 'docs/connectors/wiki.md',
  terms: { system: 'wiki', scope: 'space', document: 'page' },
  signInModes,
  capabilities: ['locate', 'people', 'levels', 'scopes', 'permits'],
  schema: wikiSchema,
  fieldAliases: { api_token: 'token' },
  addressFields: ['url'],
  locationFields: ['url'],
  documentAddresses,
  refuse,
  open: async (config: WikiConfig, context) => (await import('./source.ts')).openWiki(config, context),
}
