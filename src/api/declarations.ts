import type { App, Declaration } from './context.ts'

/** A route that does not say who may call it is a mistake, found when the service starts and not by whom it lets in. */
export function requireDeclarations(app: App): void {
  app.addHook('onRoute', ({ url, method, config }) => {
    const { allows, keys } = (config ?? {}) as Partial<Declaration>
    if (allows === undefined || keys === undefined) {
      throw new Error(`the route ${method} ${url} does not declare config: { allows, keys }`)
    }
    for (const each of [method].flat()) app.declarations.push({ method: each, url, allows, keys })
  })
}
