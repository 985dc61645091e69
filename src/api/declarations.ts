import type { App, Declaration } from './context.ts'

// Bytes. The longest that somebody without an account has to send is a form of five fields; reading more for a
// stranger is a favour to those who want us to be busy.
const OPEN_BODY = 16 * 1024

/** A route that does not say who may call it is a mistake, found when the service starts and not by whom it lets in. */
export function requireDeclarations(app: App): void {
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    const { allows, keys } = (config ?? {}) as Partial<Declaration>
    if (allows === undefined || keys === undefined) {
      throw new Error(`the route ${method} ${url} does not declare config: { allows, keys }`)
    }
    if (allows === 'anyone') route.bodyLimit ??= OPEN_BODY
    for (const each of [method].flat()) app.declarations.push({ method: each, url, allows, keys })
  })
}

/** For routes that are all open to anyone, and so declare nothing. */
export function keepBodiesSmall(app: App): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= OPEN_BODY
  })
}
