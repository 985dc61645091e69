import type { FastifyRequest } from 'fastify'
import { AppError, type FieldError, invalid, notFound } from '../../errors.ts'
import type { App } from './context.ts'

export function acceptBodies(app: App): void {
  // Fastify accepts plain text by default; without its parser it responds with 415.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    // Clients send a content type without a body, on `run` and `DELETE` for example.
    if (text === '') return done(null, undefined)
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(invalid(['body'], 'the body is not JSON', 'json_invalid'))
    }
  })
  // Routes reject forms themselves, so the content is discarded.
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
    payload.resume()
    done(null, null)
  })
}

/** Refuses text that neither database nor index can store, anywhere in a request. */
export async function refuseUnstorable(request: FastifyRequest): Promise<void> {
  if (firstUnstorable(request.params, [])) throw notFound(nounOf(request.routeOptions.url ?? ''))
  const problem = firstUnstorable(request.query, ['query']) ?? firstUnstorable(request.body, ['body'])
  if (problem) throw new AppError('invalid_request', problem.msg, { fields: [problem] })
}

// Our requests have at most 10 levels; PostgreSQL accepts about 6,000.
const MAX_DEPTH = 100

/** A linked list, because a path array for each of a million values would exhaust memory. */
type PathStep = { value: unknown; key: string | number; depth: number; parent: PathStep | null }

/** Iterative, because a body may be nested deeper than the call stack. */
function firstUnstorable(root: unknown, loc: FieldError['loc']): FieldError | undefined {
  const pending: PathStep[] = [{ value: root, key: '', depth: 0, parent: null }]
  for (let step = pending.pop(); step; step = pending.pop()) {
    const { value, depth } = step
    if (typeof value === 'string' && !isStorable(value)) return unstorableText([...loc, ...pathTo(step)])
    if (typeof value !== 'object' || value === null) continue
    if (loc.length + depth > MAX_DEPTH)
      return { loc: [...loc, ...pathTo(step)].slice(0, 5), msg: 'nested too deeply', type: 'value_error' }
    for (const [key, inner] of Object.entries(value)) {
      const child = {
        value: inner,
        key: Array.isArray(value) ? Number(key) : key,
        depth: depth + 1,
        parent: step,
      }
      if (!isStorable(key)) return unstorableText([...loc, ...pathTo(child)])
      if (key === '__proto__' || (key === 'constructor' && hasPrototype(inner))) {
        return {
          loc: [...loc, ...pathTo(child)],
          msg: `"${key}" is not allowed as a name`,
          type: 'extra_forbidden',
        }
      }
      // Numbers, booleans and null can always be stored.
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) pending.push(child)
    }
  }
  return undefined
}

function pathTo(step: PathStep): FieldError['loc'] {
  const path: FieldError['loc'] = []
  for (let child: PathStep = step; child.parent; child = child.parent) path.unshift(child.key)
  return path
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function unstorableText(loc: FieldError['loc']): FieldError {
  return { loc, msg: 'contains a NUL character or half of a surrogate pair', type: 'string_unicode' }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

/** `/api/v1/sources/:id/…` → `Source`. */
function nounOf(url: string): string {
  const noun = /\/([a-z]+)s\/:/.exec(url)?.[1] ?? 'resource'
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}
