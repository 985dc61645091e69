import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './context.ts'
import type { SendPage } from './page.ts'

// Paths of programs, and files that a page names.
const NOT_A_PAGE = /^\/(api|general|mcp|assets|docs)(\/|$)|^\/openapi\.json$/

/** 405 if the path exists with other methods, else 404: a page for browsers, JSON for programs. */
export function handleUnknownRoutes(app: App, page: () => SendPage | null = () => null): void {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) route.methods.add(each)
    paths.set(url, route)
  })

  /** A fixed path such as `/sources/options` takes precedence over `/sources/:id`. */
  function methodsAt(path: string): Set<string> {
    const fixed = paths.get(path) ?? paths.get(`${path}/`)
    if (fixed) return fixed.methods
    const found = [...paths.values()].filter(({ pattern }) => pattern.test(path))
    return new Set(found.flatMap(({ methods }) => [...methods]))
  }

  async function sendUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = request.url.replace(/\?.*$/s, '')
    const methods = methodsAt(path.replace(/\/$/, ''))
    const sendPage = page()
    if (sendPage && methods.size === 0 && isBrowser(request) && !NOT_A_PAGE.test(path))
      return sendPage(request, reply.code(404))
    // A route with this method matched, but has no such resource, such as a missing file.
    if (methods.size === 0 || methods.has(request.method))
      return reply.code(404).send({ detail: 'Not Found', code: 'not_found' })
    const allowed = [...methods].sort().join(', ')
    return reply
      .code(405)
      .header('allow', allowed)
      .send({ detail: `${request.method} is not allowed here, only ${allowed}`, code: 'method_not_allowed' })
  }

  app.setNotFoundHandler(sendUnknown)
  // Before the framework checks the content type of QUERY, which would be a 400.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return sendUnknown(request, reply)
  })
}

function isBrowser({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html')
}

function patternOf(url: string): RegExp {
  const text = url.replace(/\/$/, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${text.replaceAll(/:[a-z_]+/gi, '[^/]+').replaceAll('*', '.*')}$`)
}
