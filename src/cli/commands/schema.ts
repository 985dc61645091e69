import { jsonSchema } from '../../connectors/describe.ts'
import type { Registry } from '../../connectors/registry.ts'
import type { DestinationType, SourceType } from '../../connectors/type.ts'
import { NODE_SETTINGS } from '../../pipeline/node-settings.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT } from '../exit.ts'

export const schemaCommand: CommandHandler = async ({ terminal, registry }) => {
  terminal.print(JSON.stringify(jobFileSchema(registry), null, 2))
  return EXIT.ok
}

/** The JSON Schema of a job file, for editors that complete and check it. */
export function jobFileSchema({ sources, destinations }: Registry): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A job of millrace-ingest',
    type: 'object',
    properties: {
      version: { const: 1, description: 'The version of this file format.' },
      source: { description: 'Where the documents come from.', oneOf: sources.map(partOf) },
      destination: { description: 'Where the elements go.', oneOf: destinations.map(partOf) },
      nodes: {
        description: 'The nodes of the pipeline, in order. Default: auto, chunk_by_title, local.',
        type: 'array',
        items: {
          oneOf: Object.entries(NODE_SETTINGS).map(([type, subtypes]) => nodeOf(type, Object.keys(subtypes))),
        },
      },
      state: {
        type: 'string',
        description:
          'The file that records what is in the index, relative to this file. Default: next to this file.',
      },
    },
    required: ['source', 'destination'],
    additionalProperties: false,
  }
}

function partOf(type: SourceType | DestinationType): object {
  return {
    title: type.title,
    type: 'object',
    properties: { type: { enum: [type.type, ...type.aliases] }, config: withAliases(type) },
    required: ['type', 'config'],
    additionalProperties: false,
  }
}

/** Accepts field aliases too; a field with an alias is not required by its own name. */
function withAliases(type: SourceType | DestinationType): object {
  const schema = jsonSchema(type) as { properties: Record<string, Property>; required?: string[] }
  const properties: Record<string, object> = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, orReference(property)]),
  )
  const aliases = Object.entries(type.fieldAliases).map(([name, field]) => [
    name,
    { ...properties[field], deprecated: true },
  ])
  const aliased = new Set(Object.values(type.fieldAliases))
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(aliases) },
    required: (schema.required ?? []).filter((name) => !aliased.has(name)),
  }
}

type Property = { type?: string; title?: string; description?: string; [keyword: string]: unknown }

const REFERENCE = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' }

/** Any setting may be a reference to an environment variable. */
function orReference({ title, description, ...property }: Property): object {
  const isAnyText = property.type === 'string' && !('pattern' in property) && !('format' in property)
  const texts = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  return isAnyText ? { ...texts, ...property } : { ...texts, anyOf: [property, REFERENCE] }
}

function nodeOf(type: string, subtypes: string[]): object {
  return {
    type: 'object',
    properties: {
      type: { const: type },
      subtype: { enum: subtypes },
      name: { type: 'string' },
      settings: { type: 'object' },
    },
    required: ['type'],
  }
}
