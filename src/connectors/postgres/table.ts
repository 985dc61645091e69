import { CONTROL_ID, controlRecord, elementKey } from '../kit/stored-element.ts'
import { wordsOf } from './search/words.ts'
import type { TableAddress } from './translate.ts'

/** The row whose version changes when the table is emptied or created again. */
export const IDENTITY_RECORD = controlRecord('identity')
export const IDENTITY_ID = elementKey(IDENTITY_RECORD, CONTROL_ID)

/** A column as `format_type` names it; `generated` is its expression. */
export type ColumnSpec = {
  name: string
  type: string
  collation?: 'C'
  required?: true
  default?: string
  generated?: string
  /** The only expression that is accepted, as PostgreSQL prints it. */
  printed?: string
}

/** All columns besides `embeddings`, which the first workflow that embeds adds. */
export const COLUMNS: readonly ColumnSpec[] = [
  { name: 'id', type: 'text', collation: 'C', required: true },
  { name: 'record_id', type: 'text', collation: 'C', required: true },
  { name: 'element_id', type: 'text', collation: 'C', required: true },
  { name: 'type', type: 'text' },
  { name: 'text', type: 'text' },
  { name: 'metadata', type: 'jsonb', required: true, default: "'{}'" },
  { name: 'data_source', type: 'jsonb', required: true, default: "'{}'" },
  {
    name: 'access',
    type: 'jsonb',
    generated: "data_source->'access'",
    printed: "(data_source -> 'access'::text)",
  },
  { name: 'words', type: 'tsvector', generated: wordsOf('text') },
  { name: 'title_words', type: 'tsvector', generated: wordsOf("data_source->>'title'") },
  { name: 'fence', type: 'bigint', required: true },
]

/** `definition` is part of what `pg_get_indexdef` prints. */
type IndexSpec = { method: 'btree' | 'gin'; on: string; definition: string }

export const INDEXES: readonly IndexSpec[] = [
  { method: 'btree', on: 'record_id', definition: 'USING btree (record_id' },
  { method: 'gin', on: "(access->'c0')", definition: "USING gin (((access -> 'c0'::text)))" },
  { method: 'gin', on: 'words', definition: 'USING gin (words)' },
  { method: 'gin', on: 'title_words', definition: 'USING gin (title_words)' },
]

export function columnDefinition({
  name,
  type,
  collation,
  required,
  default: value,
  generated,
}: ColumnSpec): string {
  return [
    `${name} ${type}`,
    collation ? `collate "${collation}"` : '',
    generated ? `generated always as (${generated}) stored` : '',
    required ? 'not null' : '',
    value ? `default ${value}` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

export function createTable({ table }: Pick<TableAddress, 'table'>): string {
  return `create table ${table} (\n  ${[...COLUMNS.map(columnDefinition), 'primary key (id)'].join(',\n  ')}\n)`
}

export function createIndex(table: string, { method, on }: IndexSpec): string {
  return `create index on ${table} using ${method} (${on})`
}

/** docs/index-bodies/postgres.sql is generated from it. */
export function tableScript(): string {
  const table = 'elements'
  return `${[createTable({ table }), ...INDEXES.map((index) => createIndex(table, index))].join(';\n')};\n`
}
