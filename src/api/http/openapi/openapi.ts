import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Registry } from '../../../connectors/registry.ts'
import type { RouteDeclaration } from '../context.ts'
import { removeUnused } from './components.ts'
import { describeConnectors } from './connector-schemas.ts'
import { ERROR_RESPONSES, errorStatuses, PROBLEM, REFUSAL } from './error-responses.ts'
import { FORM_BODIES, FREE_RESPONSES, OTHER_FORMATS } from './form-bodies.ts'
import { operationId, singular } from './operation-ids.ts'
import { PARAMETERS, SUMMARIES } from './texts.ts'

type Parameter = { in: string; name: string; description?: string; required?: boolean; schema?: object }
type BodySchema = { type?: string | string[]; anyOf?: { type?: string | string[] }[] }
type Operation = {
  operationId?: string
  summary?: string
  description?: string
  'x-allows'?: string
  'x-keys'?: KeyUse
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Record<string, { schema?: BodySchema }> }
  responses?: Record<string, { content?: Record<string, { schema?: object }> }>
}
type Document = {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown> }
}

/** `search`: every key; `full`: keys with the scope `full`; `none`: people only. */
type KeyUse = 'search' | 'full' | 'none'

/** Adds operation ids, texts, allowed callers, settings of connectors and error responses to the routes' schemas. */
export const openapiOf = (registry: Registry): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      description:
        'Copies documents with their permissions into a search index. `x-keys` says which API keys may call ' +
        'an operation: `search` every key, `full` keys with the scope `full`, `none` signed-in people only. ' +
        '`x-allows` is the lowest role of a person.',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        'X-API-Key': { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        'unstructured-api-key': { type: 'apiKey', in: 'header', name: 'unstructured-api-key' },
      },
      schemas: { Problem: PROBLEM, Refusal: REFUSAL },
      responses: ERROR_RESPONSES,
    },
    security: [{ bearer: [] }, { 'X-API-Key': [] }, { 'unstructured-api-key': [] }],
  },
  transform(route) {
    const transformed = jsonSchemaTransform(named(route))
    const { allows, keys } = (route.route.config ?? {}) as Partial<RouteDeclaration>
    if (allows === undefined || keys === undefined) return transformed
    const { schema } = transformed
    return {
      ...transformed,
      schema: { tags: [tagOf(route.url)], ...schema, 'x-allows': allows, 'x-keys': keyUse(keys) },
    }
  },
  transformObject(given) {
    if (!('openapiObject' in given)) return given.swaggerObject
    const document = jsonSchemaTransformObject(given)
    // The cast covers only the fields that `complete` reads and changes.
    const { paths = {} } = document as Document
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) complete(operation, method, path)
    describeConnectors(document as Document, registry)
    removeUnused(document as Document)
    return document
  },
})

/** `/api/v1/jobs/:id/log` → `jobs`; a route may name another tag. */
function tagOf(url: string): string {
  return url.split('/')[3] ?? ''
}

function keyUse(keys: boolean | 'search'): KeyUse {
  if (typeof keys === 'string') return keys
  return keys ? 'full' : 'none'
}

/** A wildcard is a record id, which contains slashes. */
function named(route: Parameters<typeof jsonSchemaTransform>[0]): typeof route {
  const { params } = route.schema as { params?: unknown }
  if (!route.url.endsWith('/*') || !(params instanceof z.ZodObject)) return route
  const { '*': recordId, ...others } = params.shape
  const schema = { ...route.schema, params: z.object({ ...others, record_id: recordId }) }
  return { ...route, url: route.url.replace(/\*$/, ':record_id'), schema }
}

function complete(operation: Operation, method: string, path: string): void {
  const id = operation.operationId ?? operationId(method, path)
  operation.operationId = id
  const summary = operation.summary ?? SUMMARIES[id]
  if (summary) operation.summary = summary
  if (!/^\/(api|general)\//.test(path)) {
    operation.security = []
    return
  }
  // The session cookie has no scheme: only our web page uses it.
  if (operation['x-keys'] === 'none') operation.security = []
  operation.description = [operation.description, callersOf(operation)].filter(Boolean).join('\n\n')
  const parameters = parametersOf(operation, path)
  if (parameters.length > 0) operation.parameters = parameters
  const body = FORM_BODIES[id]
  if (body) operation.requestBody = body
  else if (acceptsNoBody(operation)) operation.requestBody = { ...operation.requestBody, required: false }
  const content = operation.responses?.[200]?.content
  for (const type of OTHER_FORMATS[id] ?? []) if (content) content[type] = { schema: { type: 'string' } }
  const { 'x-allows': allows, 'x-keys': keys, requestBody } = operation
  operation.responses = {
    ...operation.responses,
    ...FREE_RESPONSES[id],
    ...errorStatuses({
      hasWorkspace: allows !== 'person' || path.includes('{'),
      changes: method !== 'get',
      hasBody: requestBody !== undefined,
      reachesSystems: keys !== 'none',
    }),
  }
}

function acceptsNoBody({ requestBody }: Operation): boolean {
  const { type, anyOf = [] } = requestBody?.content?.['application/json']?.schema ?? {}
  return [type, ...anyOf.map((each) => each.type)].flat().includes('null')
}

function callersOf({ 'x-allows': allows, 'x-keys': keys = 'none' }: Operation): string {
  if (allows === 'anyone') return 'Needs no credentials.'
  if (allows === 'person') return 'For signed-in people.'
  const byKey = { search: ', or any API key', full: ', or a full API key', none: '' }[keys]
  return `Needs the role \`${allows}\`${byKey}.`
}

function parametersOf({ parameters = [], 'x-keys': keys }: Operation, path: string): Parameter[] {
  const described = parameters.map((parameter) => {
    const description = parameter.description ?? describe(parameter, path)
    return description ? { ...parameter, description } : parameter
  })
  const isDeclared = described.some(({ name }) => name.toLowerCase() === 'x-person-token')
  return keys === 'search' && !isDeclared ? [...described, PERSON_TOKEN] : described
}

const PERSON_TOKEN: Parameter = {
  in: 'header',
  name: 'X-Person-Token',
  description: 'A JWT of the identity provider; the request uses the permissions of its person',
  required: false,
  schema: { type: 'string' },
}

/** A path parameter is the id, name or token of the resource in front of it. */
function describe({ in: place, name }: Parameter, path: string): string | undefined {
  if (place !== 'path') return PARAMETERS[name]
  const segments = path.split('/')
  const noun = singular(segments[segments.indexOf(`{${name}}`) - 1] ?? '').replaceAll('-', ' ')
  const kind = name === 'name' || name === 'token' ? name : 'id'
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} of the ${noun}`
}
