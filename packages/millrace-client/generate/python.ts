import type { OpenapiDocument, Schema } from './types.ts'

const HEADER = (from: string) => `# Written by \`npm run openapi\` from ${from}. Do not edit.\n`

/** Responses of the operations that the Python client has, and the filters of a search. */
function rootsOf({ paths, components }: OpenapiDocument): Record<string, Schema> {
  const response = (method: string, path: string) =>
    paths[`/api/v1/${path}`]?.[method]?.responses['200']?.content?.['application/json']?.schema ?? {}
  const search = paths['/api/v1/destinations/{id}/search']?.post?.requestBody?.content
  return {
    SearchFilters: search?.['application/json']?.schema?.properties?.filters ?? {},
    SearchResults: response('post', 'destinations/{id}/search'),
    ReadDocument: response('get', 'destinations/{id}/documents/{record_id}'),
    FailedFiles: response('get', 'jobs/{id}/failed-files'),
    ...Object.fromEntries(COMPONENTS.map((name) => [name, components.schemas[name] ?? {}])),
  }
}
const COMPONENTS = ['Job', 'JobDetails', 'JobDocuments', 'Workflow']

/** Names of parts that users meet; others are the name of the whole and of the field. */
const PARTS: Record<string, string> = {
  SearchResultsHits: 'SearchHit',
  ReadDocumentElements: 'DocumentElement',
  JobDocumentsItems: 'JobDocument',
}

/** Python types of responses: one TypedDict for each object. */
export function pythonTypesOf(document: OpenapiDocument): string {
  const classes = new Map<string, string>()

  function define(name: string, { properties = {}, required = [], description }: Schema): string {
    if (classes.has(name)) return name
    // Before its fields, because a schema may contain itself.
    classes.set(name, '')
    const fields = Object.entries(properties).flatMap(([field, schema]) => {
      const part = `${name}${field.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`
      const type = typeOf(schema, PARTS[part] ?? part)
      const about = schema.description ? [`    # ${schema.description.replaceAll(/\s+/g, ' ')}\n`] : []
      return [...about, `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}\n`]
    })
    const text = description ? `    """${description}."""\n\n` : ''
    classes.set(name, `class ${name}(TypedDict):\n${text}${fields.join('')}`)
    return name
  }

  function typeOf(schema: Schema, name: string): string {
    const reference = schema.$ref?.split('/').at(-1)
    if (reference) return define(reference, document.components.schemas[reference] ?? {})
    if (schema.enum) return `Literal[${schema.enum.map((each) => JSON.stringify(each)).join(', ')}]`
    const members = schema.anyOf ?? schema.oneOf
    if (members) return union(members.map((each) => typeOf(each, name)))
    return union([schema.type ?? 'unknown'].flat().map((type) => plainType(type, schema, name)))
  }

  function plainType(type: string, schema: Schema, name: string): string {
    if (type === 'array') return `list[${typeOf(schema.items ?? {}, name)}]`
    if (type !== 'object') return PLAIN[type] ?? 'Any'
    if (schema.properties) return define(name, schema)
    const { additionalProperties: values } = schema
    return `dict[str, ${typeof values === 'object' ? typeOf(values, name) : 'Any'}]`
  }

  for (const [name, schema] of Object.entries(rootsOf(document))) define(name, schema)
  return [
    `${HEADER('docs/openapi.json')}"""The shapes of responses."""\n`,
    'from __future__ import annotations\n',
    'from typing import Any, Literal\n',
    'from typing_extensions import NotRequired, TypedDict\n',
    ...[...classes.values()].map((text) => `\n${text}`),
  ].join('\n')
}

const PLAIN: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

function union(types: string[]): string {
  // A literal next to `str` says nothing.
  const unique = [...new Set(types)].filter((type) => !(type.startsWith('Literal') && types.includes('str')))
  return unique.includes('Any') ? 'Any' : unique.join(' | ')
}

const SYNCHRONOUS: [RegExp, string][] = [
  [/^""".*"""\n/, '"""The client."""\n'],
  [/\bfrom asyncio import\b/g, 'from time import'],
  [/\b(Async(?=[A-Z])|async |await )/g, ''],
  [/\bread_async_/g, 'read_'],
  [/\b__a(enter|exit)__/g, '__$1__'],
  [/\baclose\b/g, 'close'],
]

/** The client for asyncio without asyncio. */
export function synchronousPython(text: string): string {
  const written = SYNCHRONOUS.reduce((done, [pattern, by]) => done.replace(pattern, by), text)
  return HEADER('_async.py') + written
}
