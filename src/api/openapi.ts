import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'

type Document = { paths?: Record<string, Record<string, Operation>> }
type Operation = {
  operationId?: string
  security?: object[]
  parameters?: { in: string }[]
  responses?: Record<string, object>
}

/** What `/openapi.json` says beyond the schemas of the routes: names for generated clients, keys and errors. */
export const openapi: FastifyDynamicSwaggerOptions = {
  openapi: {
    info: { title: 'Millrace', description: 'Carries a wiki into a search index.', version: '1' },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        'X-API-Key': { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        'unstructured-api-key': { type: 'apiKey', in: 'header', name: 'unstructured-api-key' },
      },
      schemas: { Problem: problem(), Refusal: refusal() },
    },
    security: [{ bearer: [] }, { 'X-API-Key': [] }, { 'unstructured-api-key': [] }],
  },
  transform: jsonSchemaTransform,
  transformObject(document) {
    if (!('openapiObject' in document)) return document.swaggerObject
    // The library's type has every field optional and of several versions; only these few are touched.
    for (const [path, operations] of Object.entries((document.openapiObject as Document).paths ?? {}))
      for (const [method, operation] of Object.entries(operations)) complete(operation, method, path)
    return document.openapiObject
  },
}

function complete(operation: Operation, method: string, path: string): void {
  operation.operationId = operationId(method, path)
  if (!path.startsWith('/api/')) {
    operation.security = []
    return
  }
  const takesInput =
    method === 'post' || method === 'put' || operation.parameters?.some((p) => p.in === 'query')
  operation.responses = {
    ...operation.responses,
    401: answer('The key is missing or not known', 'Problem'),
    ...(path.includes('{') ? { 404: answer('There is no such thing in this workspace', 'Problem') } : {}),
    ...(method === 'get' ? {} : { 409: answer('It clashes with what is there', 'Problem') }),
    ...(takesInput ? { 422: answer('What was sent does not fit', 'Refusal') } : {}),
    429: answer('Too many requests; Retry-After says when again', 'Problem'),
  }
}

const verbs: Record<string, string> = { get: 'get', put: 'update', delete: 'delete', post: 'create' }

/** `listSources`, `getSource`, `runWorkflow`, `approveJobDeletions`, `checkSourceConnection`. */
export function operationId(method: string, path: string): string {
  const [collection = '', id, action] = path
    .replace(/^\/api\/v1\//, '/')
    .split('/')
    .filter(Boolean)
  const many = capitals(collection)
  const one = many.replace(/s$/, '')
  if (!id) return method === 'get' && path.startsWith('/api/') ? `list${many}` : `${verbs[method]}${one}`
  if (!action) return `${verbs[method]}${one}`
  if (method === 'get') return `get${one}${capitals(action)}`
  const [verb = '', ...rest] = action === 'connection-check' ? ['check', 'connection'] : action.split('-')
  return `${verb}${one}${capitals(rest.join('-'))}`
}

function capitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function answer(description: string, schema: 'Problem' | 'Refusal'): object {
  return {
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
}

function problem() {
  const properties = { detail: { type: 'string' as const }, code: { type: 'string' as const } }
  return { type: 'object' as const, properties, required: ['detail', 'code'] }
}

function refusal() {
  const step = { anyOf: [{ type: 'string' as const }, { type: 'integer' as const }] }
  const field = {
    type: 'object' as const,
    properties: {
      loc: { type: 'array' as const, items: step },
      msg: { type: 'string' as const },
      type: { type: 'string' as const },
    },
    required: ['loc', 'msg', 'type'],
  }
  const properties = { detail: { type: 'array' as const, items: field } }
  return { type: 'object' as const, properties, required: ['detail'] }
}
