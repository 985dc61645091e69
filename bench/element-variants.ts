import { elasticsearch } from '../src/connectors/searchindex/engines/elasticsearch.ts'
import { ANALYSIS } from '../src/connectors/searchindex/schema/analysis.ts'
import type { Field } from '../src/connectors/searchindex/schema/field.ts'
import { fieldsFor, type Mapping, nest, schemaFor } from '../src/connectors/searchindex/schema/schema.ts'

export type StoredElement = { _id: string; _source: StoredDocument }
type StoredDocument = { text: string; metadata: { data_source: StoredSource } & Record<string, unknown> }
type StoredSource = { permissions_data: object[]; access: object }

/** One way to send and map elements. */
export type Variant = {
  name: string
  mapping: Mapping
  settings: object
  action(id: string): object
  document(source: StoredDocument): object
}

export const WRITTEN = 'as written'

const SETTINGS = { analysis: ANALYSIS }
const written: Variant = {
  name: WRITTEN,
  mapping: schemaFor(null, elasticsearch, SETTINGS),
  settings: SETTINGS,
  action: (_id) => ({
    index: { _id, version: 1, version_type: 'external_gte', ...elasticsearch.writeGuard },
  }),
  document: (source) => source,
}
const unguarded = (_id: string) => ({ index: { _id, version: 1, version_type: 'external_gte' } })
const unversioned = (_id: string) => ({ index: { _id } })
const bareText = ({ text }: StoredDocument) => ({ text })

export const VARIANTS: Variant[] = [
  written,
  // Each line leaves out more.
  { ...written, name: 'without the guard against accidental indexes', action: unguarded },
  { ...written, name: '… and without external versions', action: unversioned },
  {
    ...written,
    name: '… and without update and delete lists',
    action: unversioned,
    document: withSource(({ permissions_data: lists, ...rest }) => ({
      ...rest,
      permissions_data: lists.filter((list) => 'read' in list),
    })),
  },
  {
    ...written,
    name: '… and without read lists',
    action: unversioned,
    document: withSource(({ permissions_data: _, ...rest }) => rest),
  },
  {
    ...written,
    name: '… and without access',
    action: unversioned,
    document: withSource(({ permissions_data: _, access: __, ...rest }) => rest),
  },
  { ...written, name: 'bare text', action: unversioned, document: bareText },
  // The same elements in another index.
  {
    ...written,
    name: 'mapping: update and delete lists indexed',
    mapping: withFields(/permissions_data\.(update|delete)/, () => ({ type: 'keyword' })),
  },
  {
    ...written,
    name: 'mapping: no doc values for read lists and access',
    mapping: withFields(/permissions_data\.read|data_source\.access/, (field) => ({
      ...field,
      doc_values: false,
    })),
  },
  {
    ...written,
    name: 'mapping: no doc values for names, addresses and ids',
    mapping: withFields(/filename|data_source\.url|version|page_id|space\.key|ancestors\.id/, (field) => ({
      ...field,
      doc_values: false,
    })),
  },
  {
    ...written,
    name: 'mapping: no norms and positions except for text and title',
    mapping: withFields(/^record_id|parent_id|partitioner_type|space\.name|ancestors\.title/, (field) => ({
      ...field,
      norms: false,
      index_options: 'docs',
    })),
  },
  {
    ...written,
    name: 'mapping: without subfields for languages',
    mapping: schemaFor(null, elasticsearch),
  },
  {
    ...written,
    name: 'mapping: only the text',
    mapping: { dynamic: false, properties: { text: { type: 'text' }, metadata: { enabled: false } } },
  },
  { ...written, name: 'mapping: nothing', mapping: { enabled: false } },
  {
    ...written,
    name: 'codec: best_compression',
    settings: { ...SETTINGS, codec: 'best_compression' },
  },
  {
    ...written,
    name: 'translog: async (may lose acknowledged writes)',
    settings: { ...SETTINGS, translog: { durability: 'async' } },
  },
]

/** The schema with other mappings for the fields that a pattern matches. */
function withFields(pattern: RegExp, change: (field: Field) => object): Mapping {
  const fields = Object.entries(fieldsFor(null, elasticsearch, SETTINGS)).map(
    ([path, field]): [string, Field] => [path, pattern.test(path) ? change(field) : field],
  )
  return { ...written.mapping, properties: nest(Object.fromEntries(fields)) }
}

function withSource(change: (dataSource: StoredSource) => object): Variant['document'] {
  return ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, data_source: change(metadata.data_source) },
  })
}
