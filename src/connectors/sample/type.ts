import { SOURCE_CAPABILITIES, type SourceType } from '../type.ts'
import { SAMPLE_URL, type SampleConfig, sampleSchema } from './config.ts'
import { loadSample } from './file.ts'
import { sampleInGerman } from './german.ts'

/** Invented pages that come with Millrace: something to read before there is a system to connect. */
export const sample: SourceType = {
  kind: 'source',
  type: 'sample',
  aliases: [],
  title: 'Sample wiki',
  about: 'Two hundred invented pages and six people with different permissions, inside this service.',
  icon: 'notebook',
  docs: 'docs/connectors/sample.md',
  translations: { de: sampleInGerman },
  terms: { system: 'wiki', scope: 'space', document: 'page' },
  capabilities: SOURCE_CAPABILITIES,
  schema: sampleSchema,
  fieldAliases: {},
  identity: ({ url }: SampleConfig) => new URL(url).host,
  addressFields: ['url'],
  locationFields: ['url'],
  documentAddresses: [
    { pattern: '^(sample-wiki\\.millrace\\.internal)/wiki/spaces/\\w+/pages/(\\d+)', recordIds: ['$1/$2'] },
  ],
  refuse: () => [],
  async sample() {
    const { self, people, groups, searches } = await loadSample()
    return {
      name: 'Sample wiki',
      address: SAMPLE_URL,
      people: people.filter(({ id }) => id !== self).map(({ id, name, role }) => ({ id, name, role })),
      groups: groups.map(({ id, name }) => ({ id, name })),
      searches,
    }
  },
  open: async (config: SampleConfig) => (await import('./source.ts')).openSample(config, await loadSample()),
}
