import type { App, RouteDeclaration } from './context.ts'

// The largest request without authentication is a form of five fields; a higher limit helps only attackers.
const OPEN_BODY_BYTES = 16 * 1024

/** Fails at start if a route does not declare who may call it. */
export function requireDeclarations(app: App): void {
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    const { allows, keys } = (config ?? {}) as Partial<RouteDeclaration>
    if (allows === undefined || keys === undefined) {
      throw new Error(`the route ${method} ${url} does not declare config: { allows, keys }`)
    }
    if (allows === 'anyone') route.bodyLimit ??= OPEN_BODY_BYTES
    for (const each of [method].flat()) app.declarations.push({ method: each, url, allows, keys })
  })
}

/** Limits bodies on routes that are all open to anyone. */
export function limitBodies(app: App): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= OPEN_BODY_BYTES
  })
}
