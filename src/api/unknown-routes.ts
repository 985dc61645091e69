import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './context.ts'

/** 405 if the path exists with other methods, else 404. */
export function handleUnknownRoutes(app: App): void {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) known.methods.add(each)
    paths.set(url, known)
  })

  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.replace(/\?.*$/s, '').replace(/\/$/, '')
    const methods = [...paths.values()].flatMap(({ pattern, methods }) =>
      pattern.test(path) ? [...methods] : [],
    )
    // A route with this method matched, but has no such resource, such as a missing file.
    if (methods.length === 0 || methods.includes(request.method))
      return reply.code(404).send({ detail: 'Not Found', code: 'not_found' })
    const allowed = [...new Set(methods)].sort().join(', ')
    return reply
      .code(405)
      .header('allow', allowed)
      .send({ detail: `${request.method} is not allowed here, only ${allowed}`, code: 'method_not_allowed' })
  })
}

function patternOf(url: string): RegExp {
  const text = url.replace(/\/$/, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${text.replaceAll(/:[a-z_]+/gi, '[^/]+').replaceAll('*', '.*')}$`)
}
