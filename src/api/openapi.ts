import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import type { Declaration } from './context.ts'

type Document = { paths?: Record<string, Record<string, Operation>> }
type Operation = {
  operationId?: string
  'x-allows'?: string
  'x-keys'?: boolean
  security?: object[]
  parameters?: { in: string }[]
  responses?: Record<string, object>
}

/** Adds operation ids, allowed callers and error responses to the routes' schemas. */
export const openapi: FastifyDynamicSwaggerOptions = {
  openapi: {
    info: {
      title: 'Millrace',
      description: 'Copies documents with their permissions into a search index.',
      version: '1',
    },
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
  transform(route) {
    const transformed = jsonSchemaTransform(route)
    const { allows, keys } = (route.route.config ?? {}) as Partial<Declaration>
    const declared = allows === undefined ? {} : { 'x-allows': allows, 'x-keys': keys }
    return { ...transformed, schema: { ...transformed.schema, ...declared } }
  },
  transformObject(document) {
    if (!('openapiObject' in document)) return document.swaggerObject
    // The cast covers only the fields that `complete` reads and changes.
    for (const [path, operations] of Object.entries((document.openapiObject as Document).paths ?? {}))
      for (const [method, operation] of Object.entries(operations)) complete(operation, method, path)
    return document.openapiObject
  },
}

function complete(operation: Operation, method: string, path: string): void {
  operation.operationId = operationId(method, path)
  if (!/^\/(api|general)\//.test(path)) {
    operation.security = []
    return
  }
  // The session cookie has no scheme: only our web page uses it.
  if (operation['x-keys'] === false) operation.security = []
  const takesInput =
    ['post', 'put', 'patch'].includes(method) || operation.parameters?.some((p) => p.in === 'query')
  operation.responses = {
    ...operation.responses,
    401: errorResponse('The key is missing or unknown, or no person is signed in', 'Problem'),
    ...(operation['x-allows'] === 'anyone'
      ? {}
      : { 403: errorResponse('The role does not allow this', 'Problem') }),
    ...(path.includes('{') ? { 404: errorResponse('Not found in this workspace', 'Problem') } : {}),
    ...(method === 'get' ? {} : { 409: errorResponse('Conflicts with the current state', 'Problem') }),
    ...(takesInput ? { 422: errorResponse('The request is not valid', 'Refusal') } : {}),
    429: errorResponse('Too many requests; Retry-After says when to retry', 'Problem'),
  }
}

const verbs: Record<string, string> = {
  get: 'get',
  put: 'update',
  patch: 'update',
  delete: 'delete',
  post: 'create',
}
/** Collections inside a workspace; other segments after an id are actions or parts. */
const nested = new Set(['members', 'invitations'])

export function operationId(method: string, path: string): string {
  if (path.startsWith('/general/')) return 'partitionFiles'
  const [collection = '', id, action, inner] = path
    .replace(/^\/api\/v1\//, '/')
    .split('/')
    .filter(Boolean)
  const many = capitals(collection)
  const one = many.replace(/s$/, '')
  if (!id) return method === 'get' && many !== one ? `list${many}` : `${verbs[method]}${one}`
  if (!id.startsWith('{')) return `${verbs[method]}${one}${capitals(id)}`
  if (!action) return `${verbs[method]}${one}`
  if (nested.has(action)) {
    const what = one + capitals(action)
    return method === 'get' && !inner ? `list${what}` : `${verbs[method]}${what.replace(/s$/, '')}`
  }
  if (method === 'get') return `get${one}${capitals(action)}`
  const [verb = '', ...rest] = action === 'connection-check' ? ['check', 'connection'] : action.split('-')
  return `${verb}${one}${capitals(rest.join('-'))}`
}

function capitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function errorResponse(description: string, schema: 'Problem' | 'Refusal'): object {
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
