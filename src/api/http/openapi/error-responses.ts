type Traits = { hasWorkspace: boolean; changes: boolean; hasBody: boolean; reachesSystems: boolean }

/** The errors that an operation with these traits may answer. */
export function errorStatuses({
  hasWorkspace,
  changes,
  hasBody,
  reachesSystems,
}: Traits): Record<string, object> {
  return {
    400: reference('BadRequest'),
    401: reference('Unauthorized'),
    403: reference('Forbidden'),
    ...(hasWorkspace ? { 404: reference('NotFound') } : {}),
    ...(changes ? { 409: reference('Conflict') } : {}),
    ...(hasBody ? { 413: reference('BodyTooLarge'), 415: reference('UnsupportedMediaType') } : {}),
    422: reference('Invalid'),
    429: reference('RateLimited'),
    431: reference('HeadersTooLarge'),
    ...(reachesSystems ? { 502: reference('SystemFailed') } : {}),
    503: reference('Unavailable'),
  }
}

export const ERROR_RESPONSES = {
  BadRequest: response('The request is not valid HTTP'),
  Unauthorized: response('The key is missing or unknown, or no person is signed in'),
  Forbidden: response('The role or the scope of the key does not allow this'),
  NotFound: response('Not found in this workspace'),
  Conflict: response('Conflicts with the current state'),
  BodyTooLarge: response('The body is too large'),
  UnsupportedMediaType: response('The content type is not accepted'),
  Invalid: response('The request is not valid', 'Refusal', 'Problem'),
  RateLimited: response('Too many requests; Retry-After says when to retry'),
  HeadersTooLarge: response('The address and headers are too large'),
  SystemFailed: response('A source, destination or model failed'),
  Unavailable: response('The service cannot answer now; Retry-After says when to retry'),
}

export const PROBLEM = {
  type: 'object' as const,
  properties: {
    detail: { type: 'string' as const, description: 'What failed and what to do' },
    code: { type: 'string' as const, description: 'A code of docs/errors.md' },
    retryable: { type: 'boolean' as const },
    request_id: { type: 'string' as const },
  },
  required: ['detail', 'code'],
}

const FIELD_ERROR = {
  type: 'object' as const,
  properties: {
    loc: {
      type: 'array' as const,
      items: { anyOf: [{ type: 'string' as const }, { type: 'integer' as const }] },
      description: 'Path of the field',
    },
    msg: { type: 'string' as const },
    type: { type: 'string' as const },
  },
  required: ['loc', 'msg', 'type'],
}

export const REFUSAL = {
  type: 'object' as const,
  properties: { detail: { type: 'array' as const, items: FIELD_ERROR } },
  required: ['detail'],
}

function reference(name: keyof typeof ERROR_RESPONSES): object {
  return { $ref: `#/components/responses/${name}` }
}

function response(description: string, ...names: ('Problem' | 'Refusal')[]) {
  const [first, ...others] = (names.length > 0 ? names : ['Problem']).map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }))
  const schema = others.length > 0 ? { anyOf: [first!, ...others] } : first!
  return { description, content: { 'application/json': { schema } } }
}
