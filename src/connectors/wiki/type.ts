import { SOURCE_CAPABILITIES, type SourceType } from '../type.ts'
import { refusedFields, type WikiConfig, wikiSchema } from './config.ts'
import { wikiInGerman } from './german.ts'
import { documentAddresses } from './page-addresses.ts'
import { wikiSetup } from './setup.ts'
import { signInModes } from './sign-in-modes.ts'

export const wiki: SourceType = {
  kind: 'source',
  type: 'wiki',
  aliases: ['confluence'],
  title: 'Wiki (Confluence)',
  about: 'Pages of Confluence, Cloud or Data Center, with the permissions they have there.',
  systems: ['Confluence Cloud', 'Confluence Data Center'],
  icon: 'notebook',
  docs: 'docs/connectors/wiki.md',
  translations: { de: wikiInGerman },
  terms: { system: 'wiki', scope: 'space', document: 'page' },
  jobExample: `url: https://acme.atlassian.net
cloud: true
username: me@acme.example
token: \${WIKI_TOKEN}
spaces: [ENG, HR]        # leave out for all`,
  signInModes,
  setup: wikiSetup,
  capabilities: SOURCE_CAPABILITIES,
  schema: wikiSchema,
  fieldAliases: { api_token: 'token' },
  identity: ({ url }: WikiConfig) => addressOf(url),
  readsAs: ({ url, cloud, username }: WikiConfig) => ({
    site: cloud ? addressOf(url) : fullAddressOf(url),
    account: username ?? null,
  }),
  // A change of the host needs the secret again.
  addressFields: ['url'],
  // Lists of connectors show it.
  locationFields: ['url'],
  stepFields: {
    'reach the wiki': ['url'],
    'sign in': ['token', 'password'],
    'list spaces': ['spaces'],
    'filter pages': ['cql'],
  },
  documentAddresses,
  refuse: refusedFields,
  open: async (config: WikiConfig, context) => (await import('./source.ts')).openWiki(config, context),
}

/** For the command line, whose state files belong to the address as configured. */
export const commandLineWiki: SourceType = {
  ...wiki,
  identity: ({ url }: WikiConfig) => url,
}

/** Two wikis of Data Center may differ in any path. */
function fullAddressOf(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.host}${url.pathname.replace(/\/+$/, '')}` : text
}

/** Host and path, without the `/wiki` of a Cloud site. */
function addressOf(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.host}${url.pathname.replace(/\/(wiki\/?)?$/, '')}` : text
}
